/* Certificates for tests, made in memory when they are needed. Text lives until the process ends.
 */
#ifndef LAS_TEST_NET_PKI_H
#define LAS_TEST_NET_PKI_H

struct pki_pair {
    char *cert; /* PEM */
    char *key;  /* PEM */
};

struct pki_request {
    const char *name;              /* common name */
    const char *alt_names;         /* "DNS:localhost,IP:127.0.0.1", or NULL */
    const struct pki_pair *issuer; /* NULL: signs itself, an authority */
    int from_days, to_days;        /* of validity, relative to now */
    int ca;
};

struct pki_pair pki_make(const struct pki_request *request);

/* Those that most tests need, made once: an authority, and a server named localhost and 127.0.0.1
 * that it signed. */
const struct pki_pair *pki_ca(void);
const struct pki_pair *pki_server(void);
/* Another authority, which nobody trusts. */
const struct pki_pair *pki_other_ca(void);
const struct pki_pair *pki_client(void);

#endif
