/* net_probe: one kind of request, sent many times or held open, over the transports of src/net. For
 * trying them on a real API server and for measuring what they cost. Prints answers by code, bytes,
 * time and CPU. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "las/base/mem.h"
#include "las/net/client.h"
#include "las/net/lws_core.h"
#include "las/net/ws.h"

struct probe {
    struct las_loop *loop;
    struct las_transport *transport;
    struct las_request request;
    long count, started, ended, in_flight, width;
    long codes[600];
    long outcomes[4];
    uint64_t bytes, lines;
    uint64_t stop_ns;
    bool show;
    char last_error[LAS_ERR_TEXT_BYTES];
};

static double cpu_ms(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

static void on_head(void *self, const struct las_response_head *head)
{
    struct probe *probe = self;
    if (head->code > 0 && head->code < 600)
        probe->codes[head->code]++;
}

static void on_data(void *self, struct las_slice data)
{
    struct probe *probe = self;
    probe->bytes += data.len;
    for (size_t i = 0; i < data.len; i++)
        probe->lines += data.ptr[i] == '\n';
    if (probe->show)
        fwrite(data.ptr, 1, data.len, stdout);
}

static void on_done(void *self, enum las_outcome outcome, const struct las_err *err)
{
    struct probe *probe = self;
    probe->outcomes[outcome]++;
    probe->ended++;
    probe->in_flight--;
    if (err)
        snprintf(probe->last_error, sizeof(probe->last_error), "%s", err->text);
}

static const struct las_response_handler handler = {
    .on_head = on_head, .on_data = on_data, .on_done = on_done};

static uint64_t turn(void *self, uint64_t now_ns)
{
    struct probe *probe = self;
    while (probe->started < probe->count && probe->in_flight < probe->width) {
        struct las_request_handle *handle;
        if (las_transport_start(probe->transport, &probe->request, &handler, probe, &handle) !=
            LAS_OK) {
            snprintf(probe->last_error, sizeof(probe->last_error), "start refused");
            las_loop_stop(probe->loop);
            break;
        }
        probe->started++;
        probe->in_flight++;
    }
    if (probe->ended == probe->count || now_ns >= probe->stop_ns)
        las_loop_stop(probe->loop);
    return probe->stop_ns;
}

static void report(const struct probe *probe, double wall_ms, double cpu)
{
    double n = (double)(probe->request.stream ? probe->lines : (uint64_t)probe->ended);
    fprintf(stderr, "%ld ended", probe->ended);
    for (int code = 0; code < 600; code++)
        if (probe->codes[code])
            fprintf(stderr, ", %ld x %d", probe->codes[code], code);
    fprintf(stderr, "; answered %ld, not sent %ld, unknown %ld; %llu bytes, %llu lines\n",
            probe->outcomes[LAS_OUTCOME_ANSWERED], probe->outcomes[LAS_OUTCOME_NOT_SENT],
            probe->outcomes[LAS_OUTCOME_UNKNOWN], (unsigned long long)probe->bytes,
            (unsigned long long)probe->lines);
    fprintf(stderr, "%.0f ms, CPU %.1f ms: %.1f us each, %.0f a second\n", wall_ms, cpu,
            n > 0 ? cpu * 1e3 / n : 0.0, n * 1e3 / wall_ms);
    if (probe->last_error[0])
        fprintf(stderr, "last error: %s\n", probe->last_error);
}

static const char usage[] =
    "net_probe [-t h2|h1|ws] [-m METHOD] [-b BODY] [-y TYPE] [-n COUNT] [-c IN_FLIGHT] [-w "
    "SECONDS] [-z] [-v]\n"
    "          [-T TOKEN_FILE] [-S SERVER_NAME] [-k] HOST PORT PATH [CA [CERT KEY]]\n"
    "-w: a watch that is ended after so long; -z: ask for gzip; -v: show bodies; -k: do not verify "
    "the server\n";

struct options {
    const char *transport, *method, *body, *type, *token_file, *server_name;
    long count, width;
    double seconds;
    bool gzip, show, insecure;
};

static enum las_method method_of(const char *name)
{
    static const char *const names[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};
    for (int i = 0; i < 5; i++)
        if (strcmp(name, names[i]) == 0)
            return (enum las_method)i;
    fputs(usage, stderr);
    exit(2);
}

static void parse(int argc, char **argv, struct options *o)
{
    for (int c; (c = getopt(argc, argv, "t:m:b:y:n:c:w:zvT:S:k")) != -1;) {
        switch (c) {
        case 't':
            o->transport = optarg;
            break;
        case 'm':
            o->method = optarg;
            break;
        case 'b':
            o->body = optarg;
            break;
        case 'y':
            o->type = optarg;
            break;
        case 'n':
            o->count = atol(optarg);
            break;
        case 'c':
            o->width = atol(optarg);
            break;
        case 'w':
            o->seconds = atof(optarg);
            break;
        case 'z':
            o->gzip = true;
            break;
        case 'v':
            o->show = true;
            break;
        case 'T':
            o->token_file = optarg;
            break;
        case 'S':
            o->server_name = optarg;
            break;
        case 'k':
            o->insecure = true;
            break;
        default:
            fputs(usage, stderr);
            exit(2);
        }
    }
    if (argc - optind < 3) {
        fputs(usage, stderr);
        exit(2);
    }
}

static void measure(struct probe *probe)
{
    struct timespec t0, t1;
    double cpu0 = cpu_ms();
    clock_gettime(CLOCK_MONOTONIC, &t0);
    las_loop_set_turn(probe->loop, turn, probe);
    las_loop_run(probe->loop);
    clock_gettime(CLOCK_MONOTONIC, &t1);
    report(probe, (double)(t1.tv_sec - t0.tv_sec) * 1e3 + (double)(t1.tv_nsec - t0.tv_nsec) / 1e6,
           cpu_ms() - cpu0);
}

int main(int argc, char **argv)
{
    struct options o = {.transport = "h2",
                        .method = "GET",
                        .body = "",
                        .type = "application/json",
                        .count = 1,
                        .width = 1};
    parse(argc, argv, &o);
    char **rest = argv + optind;
    int rest_count = argc - optind;
    struct probe probe = {
        .count = o.count, .width = o.width, .show = o.show, .stop_ns = UINT64_MAX};
    const struct las_endpoint endpoint = {.host = las_slice_of(rest[0]),
                                          .port = (uint16_t)atoi(rest[1]),
                                          .ca_file = las_slice_of(rest_count > 3 ? rest[3] : NULL),
                                          .cert_file =
                                              las_slice_of(rest_count > 5 ? rest[4] : NULL),
                                          .key_file = las_slice_of(rest_count > 5 ? rest[5] : NULL),
                                          .token_file = las_slice_of(o.token_file),
                                          .tls_server_name = las_slice_of(o.server_name),
                                          .plain_http = rest_count == 3 && !o.insecure,
                                          .insecure_skip_tls_verify = o.insecure};
    struct las_err err;
    struct las_cred *cred = NULL;
    struct las_client *client = NULL;
    struct las_lws *lws = NULL;
    struct las_ws *ws = NULL;
    const struct las_client_options options = {
        .name = "probe", .http1_only = strcmp(o.transport, "h1") == 0, .seed = 1};
    if (las_loop_new(&probe.loop) != LAS_OK)
        return 1;
    enum las_status st = las_cred_new(probe.loop, &endpoint, NULL, NULL, NULL, &cred, &err);
    if (st == LAS_OK && strcmp(o.transport, "ws") == 0) {
        st = las_lws_new(probe.loop, NULL, &lws, &err);
        if (st == LAS_OK)
            st = las_ws_new(lws, cred, NULL, &ws, &err);
    } else if (st == LAS_OK) {
        st = las_client_new(probe.loop, cred, &options, NULL, &client);
    }
    if (st != LAS_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    probe.transport = ws ? las_ws_transport(ws) : las_client_transport(client);
    probe.request = (struct las_request){.method = method_of(o.method),
                                         .path = las_slice_of(rest[2]),
                                         .content_type = las_slice_of(o.body[0] ? o.type : ""),
                                         .body = las_slice_of(o.body),
                                         .stream = o.seconds > 0 || ws,
                                         .compress = o.gzip,
                                         .deadline_ns = o.seconds > 0 ? 0 : UINT64_C(60000000000)};
    if (o.seconds > 0)
        probe.stop_ns = las_clock_now_ns(las_loop_clock(probe.loop)) + (uint64_t)(o.seconds * 1e9);
    measure(&probe);
    las_ws_free(ws);
    las_lws_free(lws);
    las_client_free(client);
    las_cred_free(cred);
    las_loop_free(probe.loop);
    struct las_mem_usage left = las_mem_usage();
    if (left.blocks)
        fprintf(stderr, "leaked: %llu blocks\n", (unsigned long long)left.blocks);
    return probe.outcomes[LAS_OUTCOME_ANSWERED] == probe.ended ? 0 : 1;
}
