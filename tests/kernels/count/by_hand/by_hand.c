/* by_hand.c - counts of kernels that were counted by hand */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/model/binding.h"
#include "tests/kernels/count/by_hand/by_hand.h"

struct gcal_profile *by_hand_count(const struct gcal_count_request *request,
                                   const char *what)
{
    struct gcal_error err = { 0 };
    struct gcal_profile *p = gcal_count(request, &err);

    if (!p)
        fail_msg("%s: %s", what, err.text);
    return p;
}

double by_hand_value(const struct gcal_profile *p, const char *feature,
                     const double *sizes)
{
    struct gcal_error err = { 0 };
    struct gcal_binding *binding = gcal_binding_create(p, 1, &feature, 32, &err);
    double value = -1;

    if (!binding || gcal_binding_eval(binding, sizes, &value, &err) < 0)
        fail_msg("%s: %s", feature, err.text);
    gcal_binding_destroy(binding);
    return value;
}
