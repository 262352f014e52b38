/* html_style_test.c - the contrast of all colours, in light and dark (WCAG 2.1, "contrast ratio"). */
#include "supervisor/report/html/html_style.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(html_style, .timeout = 10);

static double channel(unsigned byte)
{
	const double c = byte / 255.0;

	return c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* The relative luminance of the colour that follows `name` in the style, from `from` on. */
static double luminance(const char *from, const char *name)
{
	const char *at = strstr(from, name);
	unsigned long rgb;

	cr_assert_not_null(at, "%s", name);
	at += strlen(name);
	cr_assert_eq(*at, '#', "%s", name);
	cr_assert_eq(strspn(at + 1, "0123456789abcdef"), 6, "%s", name);
	rgb = strtoul(at + 1, NULL, 16);
	return 0.2126 * channel(rgb >> 16 & 255) + 0.7152 * channel(rgb >> 8 & 255) + 0.0722 * channel(rgb & 255);
}

static double contrast(double a, double b)
{
	return (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
}

Test(html_style, has_contrast)
{
	static const char *const texts[][2] = {
		{"--text:", "--back:"},	   {"--dim:", "--back:"},      {"--hot:", "--back:"},
		{"--link:", "--back:"},	   {"--text:", "--card:"},     {"--dim:", "--card:"},
		{"--hot:", "--hot-back:"}, {"--text:", "--hot-back:"}, {"--dim:", "--hot-back:"},
	};
	const char *light = rfs_html_style, *dark = strstr(rfs_html_style, "prefers-color-scheme:dark");
	const char *schemes[] = {light, dark};

	cr_assert_not_null(dark);
	for (size_t s = 0; s < 2; s++) {
		for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
			double ratio = contrast(luminance(schemes[s], texts[i][0]), luminance(schemes[s], texts[i][1]));

			cr_expect_geq(ratio, 4.5, "%s on %s: %.2f", texts[i][0], texts[i][1], ratio);
		}
		for (unsigned k = 0; k < 8; k++) {
			char name[32];
			double ratio;

			snprintf(name, sizeof(name), ".k%u{background:", k);
			ratio = contrast(luminance(light, name), luminance(schemes[s], "--back:"));
			cr_expect_geq(ratio, 3.0, "%s on --back: %.2f", name, ratio);
		}
	}
}

/* All colours are variables or those of bars, so that the test above sees them. */
Test(html_style, has_no_other_colour)
{
	for (const char *at = rfs_html_style; (at = strstr(at, "color:")); at++)
		cr_expect(strncmp(at + 6, "var(--", 6) == 0 || strncmp(at + 6, "inherit", 7) == 0, "%.30s", at);
	cr_expect_null(strstr(rfs_html_style, "Canvas"));
}
