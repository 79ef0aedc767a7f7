// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many new streams a file may try at a time. Plain values in, plain values out.
 *
 * Calls on several sets may have the same budget at the same time. Then a change may be lost, but
 * a budget without tokens must not wrap: so read once, and write what follows from that.
 */
#include <linux/kernel.h>

#include "budget.h"

/*
 * Each new stream takes a token. It returns that when its first window was read, or four tokens if
 * the sample had eight pages, and four when it is fully trusted: random reads chance to prove a
 * window of a few pages, but not more, and streams must not wait for each other's tokens. Random
 * reads get two small windows per CALLS_PER_TOKEN calls: below 1 % of their pages.
 *
 * A stream that the stock code follows with windows, too, takes an early token instead. It returns
 * that, and four, when it is fully trusted. A stream that ends before has a window ahead of it that
 * nobody reads, and had little to gain.
 */
#define INITIAL_TOKENS		4
#define MAX_TOKENS		64
#define CALLS_PER_TOKEN		2048

/* Set up a budget that no file has used. */
void ctxra_budget_init(struct ctxra_budget *budget)
{
	budget->tokens = INITIAL_TOKENS;
	budget->early = INITIAL_TOKENS;
	budget->calls = 0;
	budget->starts = 0;
}

static bool take(u32 *tokens)
{
	u32 left = READ_ONCE(*tokens);

	if (left)
		WRITE_ONCE(*tokens, left - 1);
	return left;
}

static void give(u32 *tokens, u32 nr)
{
	WRITE_ONCE(*tokens, min_t(u32, READ_ONCE(*tokens) + nr, MAX_TOKENS));
}

/* Take a token. Return: false if there is none. */
bool ctxra_budget_take(struct ctxra_budget *budget)
{
	return take(&budget->tokens);
}

bool ctxra_budget_take_early(struct ctxra_budget *budget)
{
	return take(&budget->early);
}

/* Give tokens back. */
void ctxra_budget_give(struct ctxra_budget *budget, u32 nr)
{
	give(&budget->tokens, nr);
}

void ctxra_budget_give_early(struct ctxra_budget *budget, u32 nr)
{
	give(&budget->early, nr);
}

/* A stream that was trusted left its windows unread: delay new ones. */
void ctxra_budget_halve(struct ctxra_budget *budget)
{
	WRITE_ONCE(budget->tokens, READ_ONCE(budget->tokens) / 2);
}

/**
 * ctxra_budget_count_call - count a call
 * @budget: of the file; gets a token of each kind per CALLS_PER_TOKEN calls, up to INITIAL_TOKENS
 */
void ctxra_budget_count_call(struct ctxra_budget *budget)
{
	u32 calls = READ_ONCE(budget->calls) + 1;

	WRITE_ONCE(budget->calls, calls < CALLS_PER_TOKEN ? calls : 0);
	if (calls < CALLS_PER_TOKEN)
		return;
	if (READ_ONCE(budget->tokens) < INITIAL_TOKENS)
		give(&budget->tokens, 1);
	if (READ_ONCE(budget->early) < INITIAL_TOKENS)
		give(&budget->early, 1);
}
