/* Client TLS. OpenSSL keeps errors in a queue of the thread, which a failed call leaves behind for
 * the next one to trip over: every function here empties it before it calls and after it fails. */
#include "tls_priv.h"

#include <arpa/inet.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

static void queue_text(char *text, size_t size)
{
    unsigned long code = ERR_peek_last_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;
    snprintf(text, size, "%s", reason ? reason : "unknown error");
    ERR_clear_error();
}

static enum las_status add_authorities(SSL_CTX *context, struct las_slice pem, struct las_err *err)
{
    BIO *bio = BIO_new_mem_buf(pem.ptr, (int)pem.len);
    if (!bio)
        return las_err_set(err, LAS_E_NOMEM, "out of memory");
    X509_STORE *store = SSL_CTX_get_cert_store(context);
    int count = 0;
    for (;;) {
        X509 *certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);
        if (!certificate)
            break;
        count += X509_STORE_add_cert(store, certificate) == 1;
        X509_free(certificate);
    }
    BIO_free(bio);
    ERR_clear_error(); /* The end of the bundle is an error to PEM_read. */
    return count
               ? LAS_OK
               : las_err_set(err, LAS_E_INVALID, "certificate authority: holds no PEM certificate");
}

static enum las_status use_certificate(SSL_CTX *context, struct las_slice pem, struct las_err *err)
{
    BIO *bio = BIO_new_mem_buf(pem.ptr, (int)pem.len);
    X509 *leaf = bio ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
    bool good = leaf && SSL_CTX_use_certificate(context, leaf) == 1;
    X509_free(leaf);
    for (X509 *link; good && (link = PEM_read_bio_X509(bio, NULL, NULL, NULL));)
        if (SSL_CTX_add0_chain_cert(context, link) != 1) {
            X509_free(link);
            good = false;
        }
    BIO_free(bio);
    ERR_clear_error();
    return good ? LAS_OK
                : las_err_set(err, LAS_E_INVALID, "client certificate: is no PEM certificate");
}

static enum las_status use_key(SSL_CTX *context, struct las_slice pem, struct las_err *err)
{
    BIO *bio = BIO_new_mem_buf(pem.ptr, (int)pem.len);
    EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL) : NULL;
    bool parsed = key && SSL_CTX_use_PrivateKey(context, key) == 1;
    bool matches = parsed && SSL_CTX_check_private_key(context) == 1;
    EVP_PKEY_free(key);
    BIO_free(bio);
    ERR_clear_error();
    if (!parsed)
        return las_err_set(
            err, LAS_E_INVALID,
            "client key: is no PEM key without passphrase, or is not of the certificate");
    return matches ? LAS_OK
                   : las_err_set(err, LAS_E_INVALID,
                                 "client key: does not match the client certificate");
}

static enum las_status fill(SSL_CTX *context, const struct las_tls_config *config,
                            struct las_err *err)
{
    enum las_status st = LAS_OK;
    /* A bundle may name an intermediate authority alone: it is trusted as Go clients do. */
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_verify(context, config->insecure_skip_verify ? SSL_VERIFY_NONE : SSL_VERIFY_PEER,
                       NULL);
    if (config->ca_pem.len)
        st = add_authorities(context, config->ca_pem, err);
    else if (!config->insecure_skip_verify)
        SSL_CTX_set_default_verify_paths(context);
    if (st == LAS_OK && config->cert_pem.len)
        st = use_certificate(context, config->cert_pem, err);
    if (st == LAS_OK && config->key_pem.len)
        st = use_key(context, config->key_pem, err);
    if (st == LAS_OK && (config->cert_pem.len > 0) != (config->key_pem.len > 0))
        st = las_err_set(err, LAS_E_INVALID,
                         "client certificate and client key must be set together");
    return st;
}

enum las_status las_tls_context_new(const struct las_tls_config *config, SSL_CTX **out,
                                    struct las_err *err)
{
    ERR_clear_error();
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (!context)
        return las_err_set(err, LAS_E_NOMEM, "out of memory");
    enum las_status st = fill(context, config, err);
    if (st != LAS_OK) {
        SSL_CTX_free(context);
        return st;
    }
    *out = context;
    return LAS_OK;
}

static bool is_address(const char *name)
{
    unsigned char bytes[16];
    return inet_pton(AF_INET, name, bytes) == 1 || inet_pton(AF_INET6, name, bytes) == 1;
}

enum las_status las_tls_session_new(SSL_CTX *context, const char *name, struct las_slice alpn,
                                    SSL **out, struct las_err *err)
{
    ERR_clear_error();
    SSL *session = SSL_new(context);
    if (!session)
        return las_err_set(err, LAS_E_NOMEM, "out of memory");
    X509_VERIFY_PARAM *param = SSL_get0_param(session);
    bool good;
    if (is_address(name)) {
        good = X509_VERIFY_PARAM_set1_ip_asc(param, name) == 1; /* SNI must not be an address. */
    } else {
        X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        good = SSL_set1_host(session, name) == 1 && SSL_set_tlsext_host_name(session, name) == 1;
    }
    if (good && alpn.len)
        good =
            SSL_set_alpn_protos(session, (const unsigned char *)alpn.ptr, (unsigned)alpn.len) == 0;
    if (!good) {
        SSL_free(session);
        ERR_clear_error();
        return las_err_set(err, LAS_E_INVALID, "server name '%s' cannot be checked", name);
    }
    SSL_set_connect_state(session);
    *out = session;
    return LAS_OK;
}

void las_tls_error(SSL *session, char *text, size_t size)
{
    long verdict = SSL_get_verify_result(session);
    if (verdict != X509_V_OK && SSL_get_verify_mode(session) != SSL_VERIFY_NONE) {
        snprintf(text, size, "certificate of the server: %s",
                 X509_verify_cert_error_string(verdict));
        ERR_clear_error();
        return;
    }
    queue_text(text, size);
}
