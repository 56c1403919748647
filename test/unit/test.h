/* What every unit test includes: cmocka with the headers it wants before itself, and cases that
 * register themselves.
 *
 *   TEST(push_on_full_heap_fails) { assert_int_equal(1, 1); }
 *
 * defines and registers a case; TEST_MAIN() at the end of the file makes the program. */
#ifndef LAS_TEST_UNIT_TEST_H
#define LAS_TEST_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TEST_CASES_MAX 256

static struct CMUnitTest test_cases[TEST_CASES_MAX];
static size_t test_case_count;

#define TEST(test_name)                                                                            \
    static void test_name(void **state);                                                           \
    __attribute__((constructor)) static void register_##test_name(void)                            \
    {                                                                                              \
        if (test_case_count < TEST_CASES_MAX)                                                      \
            test_cases[test_case_count] =                                                          \
                (struct CMUnitTest){#test_name, test_name, NULL, NULL, NULL};                      \
        test_case_count++;                                                                         \
    }                                                                                              \
    static void test_name(void **state __attribute__((unused)))

#define TEST_MAIN()                                                                                \
    int main(void)                                                                                 \
    {                                                                                              \
        if (test_case_count == 0 || test_case_count > TEST_CASES_MAX)                              \
            return 99;                                                                             \
        return _cmocka_run_group_tests(__FILE__, test_cases, test_case_count, NULL, NULL);         \
    }

#endif
