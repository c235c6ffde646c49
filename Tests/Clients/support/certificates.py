"""A test authority and certificates of it, as an operator makes them."""

import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

PEM = serialization.Encoding.PEM


def certificate_for(names, directory):
    """Writes `authority.pem`, and `server.pem` with `server-key.pem` for those host names."""
    directory.mkdir(parents=True, exist_ok=True)
    authority_key, server_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = (
        _builder("test authority", authority_key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.KeyUsage(False, False, False, False, False, True, True, False, False), True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key()), False)
        .sign(authority_key, hashes.SHA256())
    )
    server = (
        _builder(names[0], server_key)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(n) for n in names]), False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), False
        )
        .sign(authority_key, hashes.SHA256())
    )
    (directory / "authority.pem").write_bytes(authority.public_bytes(PEM))
    (directory / "server.pem").write_bytes(server.public_bytes(PEM))
    (directory / "server-key.pem").write_bytes(
        server_key.private_bytes(
            PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return directory


def _builder(subject, key):
    now = datetime.datetime.now(datetime.timezone.utc)
    day = datetime.timedelta(days=1)
    return (
        x509.CertificateBuilder().subject_name(_name(subject)).issuer_name(_name("test authority"))
        .public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(now - day).not_valid_after(now + day)
    )


def _name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])
