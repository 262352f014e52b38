/* plot.c - SVG as text: axes, bars and a remark for each panel. */
#include "supervisor/report/html/plot.h"

#include <inttypes.h>

#include "supervisor/report/data/report.h"

/* All in SVG user units, which are pixels unless the viewer scales the picture. */
#define PANEL_WIDTH 320.0
#define PANEL_HEIGHT 240.0
#define LEFT 64.0 /* left margin of a panel, where the numbers of the axis are */
#define TOP 48.0
#define BOTTOM 56.0
#define RIGHT 16.0
#define TICKS 4

/* The largest values of all panels. */
struct scale {
	double orders, executions;
};

static struct scale scale_of(const struct rfs_report *report)
{
	/* at least as many executions as the axis has ticks, so that their numbers are whole */
	struct scale scale = {1, TICKS};

	for (size_t i = 0; i < report->n_samplings; i++) {
		const struct rfs_report_sampling *sampling = &report->samplings[i];

		if ((double)sampling->n_orders > scale.orders)
			scale.orders = (double)sampling->n_orders;
		/* the first order is the most frequent one */
		if (sampling->n_orders && (double)sampling->orders[0].count > scale.executions)
			scale.executions = (double)sampling->orders[0].count;
	}
	return scale;
}

/* Writes text, and escapes characters that are special in SVG. The text contains names from the command line. */
static void plot_put_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '&')
			fputs("&amp;", out);
		else
			fputc((unsigned char)*text < ' ' ? '?' : *text, out);
	}
}

static void put_axes(FILE *out, const struct scale *scale)
{
	fprintf(out, "<path d=\"M0 0V%g H%g\" fill=\"none\" stroke=\"black\"/>\n", PANEL_HEIGHT, PANEL_WIDTH);
	for (int i = 0; i <= TICKS; i++) {
		double x = PANEL_WIDTH * i / TICKS, y = PANEL_HEIGHT - PANEL_HEIGHT * i / TICKS;

		fprintf(out, "<path d=\"M-4 %g H0\" stroke=\"black\"/>\n", y);
		fprintf(out, "<text x=\"-8\" y=\"%g\" text-anchor=\"end\" dominant-baseline=\"middle\">%.4g</text>\n",
			y, scale->executions * i / TICKS);
		fprintf(out, "<path d=\"M%g %g v4\" stroke=\"black\"/>\n", x, PANEL_HEIGHT);
		fprintf(out, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%.4g</text>\n", x, PANEL_HEIGHT + 18,
			scale->orders * i / TICKS);
	}
	fprintf(out,
		"<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">different partial orders, most frequent first</text>\n",
		PANEL_WIDTH / 2, PANEL_HEIGHT + 40);
	fprintf(out, "<text transform=\"translate(-48 %g) rotate(-90)\" text-anchor=\"middle\">executions</text>\n",
		PANEL_HEIGHT / 2);
}

/* Draws the outline of all bars. The outline has one step for each group of orders that were executed equally often. */
static void put_distribution(FILE *out, const struct rfs_report_sampling *sampling, const struct scale *scale)
{
	fprintf(out, "<path class=\"orders\" fill=\"steelblue\" stroke=\"steelblue\" d=\"M0 %g", PANEL_HEIGHT);
	for (size_t i = 0; i < sampling->n_orders;) {
		size_t end = i;

		while (end < sampling->n_orders && sampling->orders[end].count == sampling->orders[i].count)
			end++;
		fprintf(out, "V%.6g H%.6g ",
			PANEL_HEIGHT - PANEL_HEIGHT * (double)sampling->orders[i].count / scale->executions,
			PANEL_WIDTH * (double)end / scale->orders);
		i = end;
	}
	fprintf(out, "V%g Z\"/>\n", PANEL_HEIGHT);
}

/* If all orders were executed equally often, the bars are one block. Says what that means. */
static void put_remark(FILE *out, const struct rfs_report_sampling *sampling)
{
	size_t n = sampling->n_orders;

	if (n < 2 || sampling->orders[0].count != sampling->orders[n - 1].count)
		return;
	fprintf(out,
		"<text class=\"remark\" x=\"%g\" y=\"%g\" text-anchor=\"middle\" font-size=\"13\" stroke=\"white\" "
		"stroke-width=\"4\" paint-order=\"stroke\">",
		PANEL_WIDTH / 2, PANEL_HEIGHT / 2);
	if (sampling->orders[0].count == 1)
		fprintf(out, "each of the %zu runs had another order", n);
	else
		fprintf(out, "each of the %zu orders occurred %" PRIu64 " times", n, sampling->orders[0].count);
	fputs("</text>\n", out);
}

static void put_panel(FILE *out, const struct rfs_report_sampling *sampling, const struct scale *scale, size_t column)
{
	fprintf(out,
		"<g transform=\"translate(%g %g)\">\n<text x=\"%g\" y=\"-20\" text-anchor=\"middle\" "
		"font-weight=\"bold\">",
		LEFT + (double)column * (LEFT + PANEL_WIDTH + RIGHT), TOP, PANEL_WIDTH / 2);
	plot_put_text(out, sampling->policy);
	if (sampling->options) {
		fputc(':', out);
		plot_put_text(out, sampling->options);
	}
	fprintf(out,
		"</text>\n<text x=\"%g\" y=\"-6\" text-anchor=\"middle\">%" PRIu64 " orders in %" PRIu64
		" runs, entropy %.2f bits</text>\n",
		PANEL_WIDTH / 2, sampling->distinct_orders, sampling->runs, sampling->entropy);
	put_distribution(out, sampling, scale);
	put_axes(out, scale);
	put_remark(out, sampling);
	fputs("</g>\n", out);
}

void rfs_plot_write(const struct rfs_report *report, FILE *out)
{
	struct scale scale = scale_of(report);
	size_t panels = 0, column = 0;

	for (size_t i = 0; i < report->n_samplings; i++)
		panels += report->samplings[i].has_orders;
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" viewBox=\"0 0 %g %g\" "
		"font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" "
		"fill=\"white\"/>\n",
		(double)(panels ? panels : 1) * (LEFT + PANEL_WIDTH + RIGHT), TOP + PANEL_HEIGHT + BOTTOM);
	for (size_t i = 0; i < report->n_samplings; i++)
		if (report->samplings[i].has_orders)
			put_panel(out, &report->samplings[i], &scale, column++);
	fputs("</svg>\n", out);
}
