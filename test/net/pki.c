#include "pki.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static char *text_of(BIO *bio)
{
    char *data;
    long len = BIO_get_mem_data(bio, &data);
    char *text = strndup(data, (size_t)len);
    BIO_free(bio);
    return text;
}

static void add_extension(X509 *cert, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, cert, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    MUST(extension);
    MUST(X509_add_ext(cert, extension, -1));
    X509_EXTENSION_free(extension);
}

static void set_name(X509 *cert, const char *name)
{
    X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "CN", MBSTRING_ASC,
                               (const unsigned char *)name, -1, -1, 0);
}

struct pki_pair pki_make(const struct pki_request *request)
{
    EVP_PKEY *key = EVP_EC_gen("P-256"), *issuer_key = NULL;
    X509 *cert = X509_new(), *issuer = NULL;
    uint64_t serial;
    MUST(key && cert && RAND_bytes((unsigned char *)&serial, sizeof(serial)) == 1);
    if (request->issuer) {
        BIO *bio = BIO_new_mem_buf(request->issuer->cert, -1);
        issuer = PEM_read_bio_X509(bio, NULL, NULL, NULL);
        BIO_free(bio);
        bio = BIO_new_mem_buf(request->issuer->key, -1);
        issuer_key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
        BIO_free(bio);
        MUST(issuer && issuer_key);
    }
    X509_set_version(cert, 2);
    ASN1_INTEGER_set_uint64(X509_get_serialNumber(cert), serial >> 1);
    X509_gmtime_adj(X509_getm_notBefore(cert), request->from_days * 86400L);
    X509_gmtime_adj(X509_getm_notAfter(cert), request->to_days * 86400L);
    set_name(cert, request->name);
    X509_set_issuer_name(cert, X509_get_subject_name(issuer ? issuer : cert));
    X509_set_pubkey(cert, key);
    add_extension(cert, issuer ? issuer : cert, NID_basic_constraints,
                  request->ca ? "critical,CA:TRUE" : "CA:FALSE");
    if (request->alt_names)
        add_extension(cert, issuer ? issuer : cert, NID_subject_alt_name, request->alt_names);
    MUST(X509_sign(cert, issuer_key ? issuer_key : key, EVP_sha256()));
    struct pki_pair pair;
    BIO *bio = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(bio, cert);
    pair.cert = text_of(bio);
    bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL);
    pair.key = text_of(bio);
    X509_free(cert);
    X509_free(issuer);
    EVP_PKEY_free(key);
    EVP_PKEY_free(issuer_key);
    return pair;
}

static const struct pki_pair *once(struct pki_pair *pair, const struct pki_request *request)
{
    if (!pair->cert)
        *pair = pki_make(request);
    return pair;
}

const struct pki_pair *pki_ca(void)
{
    static struct pki_pair pair;
    return once(&pair,
                &(struct pki_request){.name = "test-ca", .from_days = -1, .to_days = 10, .ca = 1});
}

const struct pki_pair *pki_other_ca(void)
{
    static struct pki_pair pair;
    return once(&pair,
                &(struct pki_request){.name = "other-ca", .from_days = -1, .to_days = 10, .ca = 1});
}

const struct pki_pair *pki_server(void)
{
    static struct pki_pair pair;
    return once(&pair, &(struct pki_request){.name = "server",
                                             .alt_names = "DNS:localhost,IP:127.0.0.1",
                                             .issuer = pki_ca(),
                                             .from_days = -1,
                                             .to_days = 10});
}

const struct pki_pair *pki_client(void)
{
    static struct pki_pair pair;
    return once(&pair, &(struct pki_request){
                           .name = "client", .issuer = pki_ca(), .from_days = -1, .to_days = 10});
}
