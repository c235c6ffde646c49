# Lets tests trust a certificate of their own. Needs say.sh.

# Makes an authority and a certificate of it for the loopback in the folder $BRASA_TEST_CERTIFICATES, and leaves in
# $trusting the words that go before a command whose processes are to trust it. Argument: the program of Brasa.
#
# Foundation on Linux trusts what is in the system's file and has no way to be told of more. So such a process sees another
# file in its place, the system's with the authority behind: in a mount namespace, which ends with the process. The machine
# trusts nobody new. Where the system gives no such namespaces $trusting stays empty, and the tests go without TLS.
make_trust() {
  local folder store=/etc/ssl/certs/ca-certificates.crt namespace=(unshare --mount)
  [ "$(id -u)" -eq 0 ] || namespace=(unshare --map-root-user --mount)
  folder=$(mktemp -d)
  trap "rm -rf '$folder'" EXIT
  "$1" certs --directory "$folder/certificates" >/dev/null
  cat "$store" "$folder/certificates/authority.pem" >"$folder/trusted.pem" 2>/dev/null
  trusting=("${namespace[@]}" sh -c "mount --bind \"\$0\" $store && exec \"\$@\"" "$folder/trusted.pem")
  if "${trusting[@]}" true 2>/dev/null; then
    export BRASA_TEST_CERTIFICATES=$folder/certificates
  else
    trusting=()
    say "this system gives no mount namespaces: the examples' tests go without TLS"
  fi
}
