/* loop_random.c - random loops: wraps, mixed signs, chosen bounds, doubling, tiles
 *
 * None runs long: an unsigned bound is never below zero, nor the start of an unsigned loop
 * that counts down to a bound.
 */
#include <stdio.h>

#include "kernels/base/buf.h"
#include "kernels/base/random.h"
#include "tests/kernels/walk/loop_points.h"

static uint64_t seed;

static int any(int n)
{
    return (int)(gcal_random_next(&seed) % (uint64_t)n);
}

static const char *one_of(size_t n, const char *const *all)
{
    return all[any((int)n)];
}

#define ONE_OF(...)                                                                      \
    one_of(sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *),                     \
           (const char *[]){ __VA_ARGS__ })

static void put_condition(struct gcal_buf *text, int depth)
{
    const char *outer = depth ? ONE_OF("j0", "g", "l") : ONE_OF("g", "l", "n");

    switch (any(5)) {
    case 0:
        gcal_buf_printf(text, "get_group_id(0) == %d", any(3));
        break;
    case 1:
        gcal_buf_printf(text, "%s %s %d", outer, ONE_OF("<", ">=", "==", "!="), any(9));
        break;
    case 2:
        gcal_buf_printf(text, "%s - %d < %s", outer, any(5), ONE_OF("n", "5", "9u"));
        break;
    case 3:
        gcal_buf_printf(text, "%s %% %d == %d", outer, 2 + any(2), any(2));
        break;
    default:
        gcal_buf_printf(text, "%s < %s", outer, ONE_OF("n", "m"));
    }
}

/* Not below zero. */
static void put_bound(struct gcal_buf *text, int depth, int levels)
{
    switch (any(levels ? 7 : 4)) {
    case 0:
    case 1:
        gcal_buf_puts(text, ONE_OF("n", "m"));
        break;
    case 2:
        gcal_buf_puts(text, depth ? ONE_OF("j0", "g") : ONE_OF("l", "g"));
        break;
    case 3:
        gcal_buf_printf(text, "%d", any(12));
        break;
    case 4:
        gcal_buf_puts(text, "(");
        put_bound(text, depth, levels - 1);
        gcal_buf_printf(text, " + %d)", any(4));
        break;
    case 5:
        gcal_buf_puts(text, "min((int)");
        put_bound(text, depth, levels - 1);
        gcal_buf_puts(text, ", (int)");
        put_bound(text, depth, levels - 1);
        gcal_buf_puts(text, ")");
        break;
    default:
        gcal_buf_puts(text, "(");
        put_condition(text, depth);
        gcal_buf_puts(text, " ? ");
        put_bound(text, depth, levels - 1);
        gcal_buf_puts(text, " : ");
        put_bound(text, depth, levels - 1);
        gcal_buf_puts(text, ")");
    }
}

static void put_start(struct gcal_buf *text, int depth)
{
    if (any(3) == 0) {
        gcal_buf_printf(text, "%d", any(4));
        return;
    }
    put_bound(text, depth, any(4) == 0);
    if (any(2))
        gcal_buf_printf(text, " - %d", 1 + any(5));
}

static void put_loop(struct gcal_buf *text, int depth)
{
    const char *type = ONE_OF("int", "uint", "uint", "long"), *by;

    switch (any(7)) {
    case 0: /* down to a wrap */
        gcal_buf_printf(text, "for (uint j%d = ", depth);
        put_start(text, depth);
        gcal_buf_printf(text, "; j%d < %s; j%d -= %d)", depth, ONE_OF("n", "20", "g"),
                        depth, 1 + any(3));
        return;
    case 1: /* down to a bound */
        gcal_buf_printf(text, "for (%s j%d = ", ONE_OF("int", "uint"), depth);
        put_bound(text, depth, 1);
        gcal_buf_printf(text, "; j%d > %d; j%d--)", depth, any(4), depth);
        return;
    case 2:
        gcal_buf_printf(text, "for (uint j%d = %d; j%d < ", depth, 1 + any(3), depth);
        put_bound(text, depth, 0);
        gcal_buf_printf(text, "; j%d %s)", depth, ONE_OF("*= 2", "<<= 1", "*= 4"));
        return;
    case 3:
        gcal_buf_printf(text, "for (uint j%d = %s; j%d > 0; j%d %s)", depth,
                        ONE_OF("n", "n / 2", "m", "g"), depth, depth,
                        ONE_OF("/= 2", ">>= 1", ">>= 2"));
        return;
    default:
        by = ONE_OF("1", "1", "1", "2", "3", "(m + 1)");
        gcal_buf_printf(text, "for (%s j%d = ", type, depth);
        put_start(text, depth);
        gcal_buf_printf(text, "; j%d %s ", depth, ONE_OF("<", "<", "<="));
        put_bound(text, depth, 1 + any(2));
        if (any(5) == 0)
            gcal_buf_printf(text, " && j%d < %s", depth, ONE_OF("n", "15"));
        gcal_buf_printf(text, "; j%d += %s)", depth, by);
    }
}

char *loop_random(uint64_t number)
{
    struct gcal_buf text = { 0 };
    int depth;

    seed = number * 7919 + 1;
    depth = 1 + any(2);
    if (any(4) == 0) {
        gcal_buf_puts(&text, "if (");
        put_condition(&text, 0);
        gcal_buf_puts(&text, ") ");
    }
    for (int i = 0; i < depth; i++)
        put_loop(&text, i);
    if (any(2)) {
        gcal_buf_puts(&text, " if (");
        put_condition(&text, 1);
        gcal_buf_puts(&text, ")");
    }
    gcal_buf_puts(&text, " HIT;");
    return gcal_buf_take(&text, NULL);
}
