#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "las/base/backoff.h"
#include "las/base/mem.h"
#include "las/net/listen.h"

#define BIG (3u * 1024 * 1024)

static struct las_loop *loop;
static struct las_lws *lws;
static struct las_listen *server;
static uint16_t port;
static atomic_int finished;
static uint64_t until_ns;

static int handle(void *self, struct las_slice path, const char **content_type,
                  struct las_buf *body)
{
    (void)self;
    if (las_slice_is(path, "/ok")) {
        las_buf_str(body, "ok\n");
        return 200;
    }
    if (las_slice_is(path, "/big") || las_slice_is(path, "/too-big")) {
        *content_type = "application/octet-stream";
        for (size_t i = 0; i < (las_slice_is(path, "/big") ? BIG : 2 * BIG) / 16; i++)
            las_buf_str(body, "0123456789abcdef");
        return 200;
    }
    las_buf_str(body, "404 not found\n");
    return 404;
}

static uint64_t turn(void *self, uint64_t now_ns)
{
    (void)self;
    if (finished || now_ns >= until_ns)
        las_loop_stop(loop);
    return finished ? UINT64_MAX : now_ns + LAS_NS_PER_MS;
}

static uint16_t free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(0, bind(fd, (struct sockaddr *)&address, len));
    getsockname(fd, (struct sockaddr *)&address, &len);
    close(fd);
    return ntohs(address.sin_port);
}

static void begin(void)
{
    struct las_err err;
    port = free_port();
    assert_int_equal(LAS_OK, las_loop_new(&loop));
    assert_int_equal(LAS_OK, las_lws_new(loop, NULL, &lws, &err));
    assert_int_equal(LAS_OK,
                     las_listen_new(lws, "127.0.0.1", port, BIG, handle, NULL, &server, &err));
    las_loop_set_turn(loop, turn, NULL);
}

static void end(void)
{
    las_listen_free(server);
    las_lws_free(lws);
    las_loop_free(loop);
    assert_int_equal(0, las_mem_usage().blocks);
}

static int dial(void)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* What a thread beside the loop asks, and what it gets. */
struct talk {
    const char *request;
    char *answer;
    size_t len;
};

static void *run_talk(void *self)
{
    struct talk *talk = self;
    int fd = dial();
    ssize_t n;
    if (fd >= 0 && send(fd, talk->request, strlen(talk->request), 0) > 0)
        while (talk->len < 2 * BIG &&
               (n = recv(fd, talk->answer + talk->len, 2 * BIG - talk->len, 0)) > 0)
            talk->len += (size_t)n;
    close(fd);
    talk->answer[talk->len] = '\0';
    finished = 1;
    return NULL;
}

static void run_loop_beside(void *(*run)(void *), void *self, unsigned ms_max)
{
    pthread_t thread;
    finished = 0;
    until_ns = las_clock_now_ns(las_loop_clock(loop)) + ms_max * LAS_NS_PER_MS;
    assert_int_equal(0, pthread_create(&thread, NULL, run, self));
    las_loop_run(loop);
    assert_true(finished);
    pthread_join(thread, NULL);
}

/* The answer, to be freed. */
static char *ask(const char *request)
{
    struct talk talk = {.request = request, .answer = malloc(2 * BIG + 1)};
    run_loop_beside(run_talk, &talk, 10000);
    return talk.answer;
}

#define CLOSE " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

static void expect(const char *request, const char *status, const char *body_end)
{
    char *answer = ask(request);
    if (!strstr(answer, status))
        fail_msg("%s: %.200s", request, answer);
    size_t len = strlen(answer), end_len = strlen(body_end);
    assert_true(len >= end_len);
    assert_string_equal(body_end, answer + len - end_len);
    free(answer);
}

TEST(get_is_answered_by_the_handler)
{
    begin();
    expect("GET /ok" CLOSE, " 200", "\r\n\r\nok\n");
    expect("GET /ok?query=1" CLOSE, " 200", "\r\n\r\nok\n");
    expect("GET /nothing" CLOSE, " 404", "404 not found\n");
    end();
}

TEST(head_has_no_body_and_other_methods_are_refused)
{
    begin();
    expect("HEAD /ok" CLOSE, " 200", "\r\n\r\n");
    expect("POST /ok HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", " 405",
           "405 method not allowed\n");
    expect("DELETE /ok" CLOSE, " 405", "405 method not allowed\n");
    end();
}

TEST(large_answer_comes_whole_and_a_larger_one_is_an_error)
{
    begin();
    char *answer = ask("GET /big" CLOSE);
    char *body = strstr(answer, "\r\n\r\n");
    assert_non_null(body);
    assert_int_equal(BIG, strlen(body + 4));
    free(answer);
    expect("GET /too-big" CLOSE, " 500", "the answer is too large\n");
    end();
}

TEST(junk_does_not_stop_the_server)
{
    static const char *const junk[] = {"\r\n\r\n",
                                       "\x16\x03\x01\x02\x00\x01\x00\x01\xfc",
                                       "GET\r\n\r\n",
                                       "GET /ok HTTP/9.9\r\n\r\n",
                                       ("GET /../../etc/passwd" CLOSE),
                                       "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"};
    begin();
    for (size_t i = 0; i < sizeof(junk) / sizeof(junk[0]); i++) {
        int fd = dial();
        assert_true(fd >= 0);
        assert_true(send(fd, junk[i], strlen(junk[i]), 0) > 0);
        shutdown(fd, SHUT_WR);
        expect("GET /ok" CLOSE, " 200", "\r\n\r\nok\n");
        close(fd);
    }
    end();
}

TEST(port_in_use_is_an_error_that_names_it)
{
    struct las_listen *second;
    struct las_err err;
    char text[32];
    begin();
    struct las_listen *first = server;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);
    assert_int_equal(0, bind(fd, (struct sockaddr *)&address, len));
    assert_int_equal(0, listen(fd, 1));
    getsockname(fd, (struct sockaddr *)&address, &len);
    assert_int_equal(LAS_E_IO, las_listen_new(lws, "127.0.0.1", ntohs(address.sin_port), BIG,
                                              handle, NULL, &second, &err));
    snprintf(text, sizeof(text), "127.0.0.1:%u", ntohs(address.sin_port));
    assert_non_null(strstr(err.text, text));
    assert_non_null(strstr(err.text, "is the port in use?"));
    assert_non_null(strstr(err.text, "binding")); /* the cause, not only what came of it */
    close(fd);
    server = first;
    end();
}

/* A process with more connections than lws may have descriptors: they wait in the backlog. */
static pid_t crowd_start(void)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    for (int i = 0; i < 100; i++)
        if (dial() < 0)
            break;
    for (;;)
        pause();
}

static double cpu_ms(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

TEST(too_many_clients_do_not_make_the_loop_spin)
{
    struct rlimit before, small;
    getrlimit(RLIMIT_NOFILE, &before);
    small = before;
    small.rlim_cur = 64;
    assert_int_equal(0, setrlimit(RLIMIT_NOFILE, &small));
    begin();
    pid_t pid = crowd_start();
    finished = 0;
    until_ns = las_clock_now_ns(las_loop_clock(loop)) + 300 * LAS_NS_PER_MS;
    las_loop_run(loop); /* takes what it may */
    double start_ms = cpu_ms();
    until_ns = las_clock_now_ns(las_loop_clock(loop)) + 1000 * LAS_NS_PER_MS;
    las_loop_run(loop);
    double used_ms = cpu_ms() - start_ms;
    int spare = dup(0); /* for the connection to the API server */
    setrlimit(RLIMIT_NOFILE, &before);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_true(spare >= 0);
    close(spare);
    if (used_ms > 300) /* of 1,000; the turn of this test comes each millisecond */
        fail_msg("%.0f ms of CPU", used_ms);
    expect("GET /ok" CLOSE, " 200", "\r\n\r\nok\n");
    end();
}

TEST_MAIN()
