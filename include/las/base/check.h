/* Assertions and attributes. CHECK guards what only our own bugs can break; input from outside is
 * validated instead. */
#ifndef LAS_BASE_CHECK_H
#define LAS_BASE_CHECK_H

#define LAS_MUST_USE __attribute__((warn_unused_result))
#define LAS_PRINTF(format_arg, first_arg) __attribute__((format(printf, format_arg, first_arg)))
#define LAS_CLEANUP(fn) __attribute__((cleanup(fn)))
#define LAS_UNUSED __attribute__((unused))

/* Calls a must-use function whose result is of no consequence; say why beside it. */
#define LAS_IGNORE(call)                                                                           \
    do {                                                                                           \
        if (call) {                                                                                \
        }                                                                                          \
    } while (0)

#define LAS_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The struct that embeds *member_ptr. */
#define LAS_CONTAINER_OF(member_ptr, type, member)                                                 \
    ((type *)(void *)((char *)(member_ptr)-offsetof(type, member)))

/* Prints file, line and condition to stderr and aborts. */
_Noreturn void las_check_failed(const char *file, int line, const char *condition);

/* Always on. One condition per CHECK. */
#define CHECK(condition) ((condition) ? (void)0 : las_check_failed(__FILE__, __LINE__, #condition))

/* In debug and sanitizer builds only: for checks that cost more than the work they guard. */
#ifdef NDEBUG
#define DCHECK(condition) ((void)sizeof(condition))
#else
#define DCHECK(condition) CHECK(condition)
#endif

#endif
