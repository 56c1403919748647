#include "test.h"

#include "las/base/mem.h"
#include "las/net/lws_core.h"

TEST(context_can_be_made_and_freed_again_and_again)
{
    for (int i = 0; i < 100; i++) {
        struct las_loop *loop;
        struct las_lws *lws;
        struct las_err err;
        assert_int_equal(LAS_OK, las_loop_new(&loop));
        assert_int_equal(LAS_OK, las_lws_new(loop, NULL, &lws, &err));
        las_lws_free(lws);
        las_loop_free(loop);
    }
    assert_int_equal(0, las_mem_usage().blocks);
}

TEST_MAIN()
