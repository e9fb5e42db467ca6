/* format.c - numbers and words of the page */
#include <math.h>
#include <string.h>

#include "mpi/audit/page/private.h"
#include "mpi/cli/escape.h"

static const struct {
    const char *class;
    int severity;
} verdicts[] = {
    [GCAL_AUDIT_PASS] = { "pass", 0 },       [GCAL_AUDIT_UNKNOWN] = { "unknown", 1 },
    [GCAL_AUDIT_SUSPECT] = { "suspect", 2 }, [GCAL_AUDIT_WARN] = { "warn", 3 },
    [GCAL_AUDIT_FAIL] = { "fail", 4 },
};

int gcal_page_severity(enum gcal_audit_verdict verdict)
{
    return verdicts[verdict].severity;
}

void gcal_page_verdict(struct gcal_buf *html, enum gcal_audit_verdict verdict)
{
    gcal_buf_printf(html, "<span class=\"verdict %s\">%s</span>", verdicts[verdict].class,
                    gcal_audit_verdict_name(verdict));
}

void gcal_page_percent(struct gcal_buf *html, double value)
{
    if (!isfinite(value))
        gcal_buf_puts(html, "&ndash;");
    else if (fabs(value) < 0.0005)
        gcal_buf_puts(html, "0.0&nbsp;%");
    else
        gcal_buf_printf(html, "%s%.*f&nbsp;%%", value < 0 ? "&minus;" : "+",
                        fabs(value) < 0.995 ? 1 : 0, 100 * fabs(value));
}

void gcal_page_share(struct gcal_buf *html, double value)
{
    if (!isfinite(value))
        gcal_buf_puts(html, "&ndash;");
    else
        gcal_buf_printf(html, "%.2g&nbsp;%%", 100 * value);
}

void gcal_page_probability(struct gcal_buf *html, double probability)
{
    double odds = 1 / probability, step;

    if (!isfinite(probability))
        gcal_buf_puts(html, "&ndash;");
    else if (probability < 1e-6)
        gcal_buf_puts(html, "below 1 in a million");
    else if (odds < 10)
        gcal_buf_printf(html, "%.0f&nbsp;%%", 100 * probability);
    else {
        step = pow(10, floor(log10(odds)) - 1);
        odds = step * round(odds / step);
        if (odds < 1000)
            gcal_buf_printf(html, "1 in %.0f", odds);
        else
            gcal_buf_printf(html, "1 in %.0f&#8239;%03.0f", floor(odds / 1000),
                            fmod(odds, 1000));
    }
}

void gcal_page_utc(struct gcal_buf *html, const char *utc)
{
    char text[17];

    snprintf(text, sizeof(text), "%s", utc);
    if (strlen(text) == 16 && text[10] == 'T')
        text[10] = ' ';
    gcal_escape_html(html, text);
}

void gcal_page_count(struct gcal_buf *html, size_t n, const char *what)
{
    gcal_buf_printf(html, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

void gcal_page_part_clear(struct gcal_page_part *part)
{
    gcal_buf_free(&part->html);
    gcal_buf_free(&part->script);
}
