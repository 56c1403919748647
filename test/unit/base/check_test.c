#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "las/base/check.h"

struct outer {
    int first;
    int inner;
};

/* Signal that ended a child which runs CHECK(condition), its standard error in text. */
static int signal_of(bool condition, char *text, size_t size)
{
    int ends[2], status;
    assert_int_equal(0, pipe(ends));
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], 2);
        CHECK(condition);
        _exit(0);
    }
    close(ends[1]);
    ssize_t n = read(ends[0], text, size - 1);
    text[n > 0 ? n : 0] = '\0';
    close(ends[0]);
    assert_int_equal(child, waitpid(child, &status, 0));
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(a_failed_check_tells_its_place_and_aborts)
{
    char text[1000];
    assert_int_equal(0, signal_of(true, text, sizeof(text)));
    assert_int_equal(SIGABRT, signal_of(false, text, sizeof(text)));
    assert_non_null(strstr(text, "check_test.c"));
    assert_non_null(strstr(text, "condition"));
}

TEST(container_of_finds_the_struct)
{
    struct outer outer = {1, 2};
    assert_ptr_equal(&outer, LAS_CONTAINER_OF(&outer.inner, struct outer, inner));
    int numbers[3] = {0};
    assert_int_equal(3, LAS_COUNT_OF(numbers));
}

TEST_MAIN()
