/*
 * A shim between a program and its resolver, for a name whose addresses change (Linux, glibc).
 *
 *   cc -shared -fPIC -O1 -o rebind.so rebind.c
 *   BRASA_REBIND_NAME=rebind.test BRASA_REBIND_FIRST=8.8.8.8 BRASA_REBIND_LOG=/abs/log LD_PRELOAD=./rebind.so program ...
 *
 * The first lookup of the name gives the first address, and every later one 127.0.0.1. Connections to the first address are
 * refused here, so that nothing leaves the machine. The log has a line for each lookup of the name and for each connection to
 * either address: "lookup ADDRESS" and "connect ADDRESS PORT".
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static atomic_int lookups;

static void note(const char *word, const char *address, int port) {
  const char *path = getenv("BRASA_REBIND_LOG");
  int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
  if (file < 0) return;
  char line[128];
  int length = port ? snprintf(line, sizeof line, "%s %s %d\n", word, address, port)
                    : snprintf(line, sizeof line, "%s %s\n", word, address);
  if (write(file, line, length) != length) abort();
  close(file);
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
  int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");
  const char *name = getenv("BRASA_REBIND_NAME"), *first = getenv("BRASA_REBIND_FIRST");
  if (!node || !name || !first || strcmp(node, name)) return real(node, service, hints, found);
  const char *address = atomic_fetch_add(&lookups, 1) ? "127.0.0.1" : first;
  note("lookup", address, 0);
  return real(address, service, hints, found);
}

int connect(int descriptor, const struct sockaddr *target, socklen_t length) {
  int (*real)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "connect");
  const char *first = getenv("BRASA_REBIND_FIRST");
  if (first && target->sa_family == AF_INET) {
    const struct sockaddr_in *internet = (const struct sockaddr_in *)target;
    char address[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &internet->sin_addr, address, sizeof address);
    int isFirst = !strcmp(address, first);
    if (isFirst || !strcmp(address, "127.0.0.1")) note("connect", address, ntohs(internet->sin_port));
    if (isFirst) {
      errno = ECONNREFUSED;
      return -1;
    }
  }
  return real(descriptor, target, length);
}
