/* html_script.c - page.js is a part of rfsup, and of each page, which is one file. */
#include "supervisor/report/html/html_script.h"

__asm__(".section .rodata\n"
	".globl rfs_html_script\n"
	"rfs_html_script:\n"
	"	.incbin \"" RFS_PAGE_SCRIPT "\"\n"
	"	.byte 0\n"
	".previous\n");
