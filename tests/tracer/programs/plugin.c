int plugin(void);
int plugin(void)
{
	return 21;
}
