/* The verbs and the options of berthctl. */
#ifndef OPTIONS_TABLE_H
#define OPTIONS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#define BERTHCTL_DEFAULT_SERVER "unix:/run/berth/berthd.sock"

#define BERTHCTL_MAX_FILES 256 /* of one composition */

/* X(NAME, word, arguments, least, most, summary, description): how many arguments it takes, and what they
 * are. */
#define BERTHCTL_VERBS(X)                                                                                    \
  X(PLAN, "plan", "FILE...", 1, BERTHCTL_MAX_FILES, "plan the memory of a problem",                          \
    "Plans FILE, a problem as JSON (buffers with lifetimes, or a graph of operators) or as MiniMalloc's "    \
    "CSV, and prints the allocation table: how large the arena is, how that compares with the proven lower " \
    "bound, and where each buffer lies. FILE '-' is "                                                        \
    "standard input. The daemon plans, and keeps plans in its cache; with --local this process does. With "  \
    "--together several FILEs are planned in one arena.")                                                    \
  X(FIT, "fit", "FILE...", 1, BERTHCTL_MAX_FILES, "ask whether a problem fits in a capacity",                \
    "As plan with --capacity, which must be given: succeeds if a plan within the capacity was found. "       \
    "Otherwise says by how much the capacity is short, and which buffers are to blame. With --instances it " \
    "says how many of the problem fit side by side when nothing orders them, and whether one more is "       \
    "proven not to.")                                                                                        \
  X(VERIFY, "verify", "FILE PLAN", 2, 2, "check a plan that any tool made",                                  \
    "Checks PLAN, a CSV with the columns id and offset or a plan that plan --json printed, against the "     \
    "problem in FILE by an independent judge: no two buffers that live at the same time share a byte, "      \
    "offsets are aligned, pins are kept. Of each violation the buffers, the bytes and the steps are told. "  \
    "One of the two may be '-'.")                                                                            \
  X(EXPLAIN, "explain", "FILE...", 1, BERTHCTL_MAX_FILES, "show what the peak is made of",                   \
    "Lists the buffers that are live at the step of the peak, largest first, with their shares; they sum "   \
    "to the peak exactly. Every step at which the peak is reached is listed, and with --all shown. Of a "    \
    "graph, the operator that runs then is named, the bytes are summed by class and by the operator that "   \
    "made them, what each operator needs is told, and of each permission to write in place whether it is "   \
    "used, or why it is not. No server is needed.")                                                          \
  X(DIFF, "diff", "PLAN_A PLAN_B", 2, 2, "show what changed between two plans",                              \
    "Compares two plans that plan --json printed: arena, peak, and the buffers that were added, removed, "   \
    "resized, moved, or live at other steps. Buffers are matched by id. What each has at the peak of one "   \
    "plan less what it has at that of the other sums to the difference of the peaks exactly. One of the "    \
    "two may be '-'.")                                                                                       \
  X(CHECK, "check", "FILE", 1, 1, "fail where an arena has grown",                                           \
    "Plans FILE as plan does and compares the plan with --baseline, one that plan --json printed earlier. "  \
    "Prints the difference as diff does, and exits with status 5 if the arena has grown beyond "             \
    "--tolerance.")                                                                                          \
  X(GET, "get", "ID [FILE]", 1, 2, "fetch a plan by its id",                                                 \
    "Fetches the plan with the id that plan printed. Ids leave names and the order of buffers out; with "    \
    "FILE, the problem that was planned, the plan is mapped back to its buffers, and checked.")              \
  X(LIST, "list", "", 0, 0, "list the plans that a daemon has",                                              \
    "Lists the plans that the daemon keeps in its cache, in the order of their ids: how far each got, its "  \
    "arena, and the highest of the peaks that were measured against it, as a share of what was planned.")    \
  X(RM, "rm", "ID", 1, 1, "make a daemon forget a plan",                                                     \
    "Removes the plan with the id from the daemon's cache. The same problem is then planned again.")         \
  X(MEASURE, "measure", "ID BYTES", 2, 2, "hold a measured peak against a plan",                             \
    "Reports the peak that a profiler measured, in bytes or with a unit, against the plan with the id, and " \
    "prints the drift: measured over planned. The daemon keeps the newest with the plan, and exports the "   \
    "drift as a metric.")                                                                                    \
  X(SERVER, "server", "status|health", 1, 1, "ask a daemon how it is",                                       \
    "status shows the address, how long an answer takes, and whether each service serves. health prints "    \
    "one word and is meant for probes: it succeeds only if the daemon serves.")                              \
  X(COMPLETION, "completion", "bash|zsh|fish", 1, 1, "print a shell's completion script",                    \
    "Prints a script for the shell to load, such as: source <(berthctl completion bash).")                   \
  X(VERSION, "version", "", 0, 0, "print the version", "Prints the version of berthctl and of its planner.") \
  X(HELP, "help", "[VERB]", 0, 1, "show help", "Shows this help, or the help of a verb.")

enum berthctl_verb {
#define X(name, word, arguments, least, most, summary, description) BERTHCTL_VERB_##name,
  BERTHCTL_VERBS(X)
#undef X
      BERTHCTL_N_VERBS
};

#define BERTHCTL_ON(verb) (1u << BERTHCTL_VERB_##verb)
#define BERTHCTL_ON_PLAN (BERTHCTL_ON(PLAN) | BERTHCTL_ON(FIT))
#define BERTHCTL_ON_SEARCH (BERTHCTL_ON_PLAN | BERTHCTL_ON(CHECK))
#define BERTHCTL_ON_STORED (BERTHCTL_ON(LIST) | BERTHCTL_ON(RM) | BERTHCTL_ON(MEASURE))
#define BERTHCTL_ON_REMOTE                                                                                   \
  (BERTHCTL_ON_SEARCH | BERTHCTL_ON(VERIFY) | BERTHCTL_ON(GET) | BERTHCTL_ON_STORED | BERTHCTL_ON(SERVER))
#define BERTHCTL_ON_OUTPUT (BERTHCTL_ON_REMOTE | BERTHCTL_ON(EXPLAIN) | BERTHCTL_ON(DIFF))
#define BERTHCTL_ON_BOUND (BERTHCTL_ON_SEARCH | BERTHCTL_ON(VERIFY) | BERTHCTL_ON(EXPLAIN) | BERTHCTL_ON(GET))
#define BERTHCTL_ON_ALL ((1u << BERTHCTL_N_VERBS) - 1)

enum berthctl_kind {
  BERTHCTL_KIND_FLAG,
  BERTHCTL_KIND_TEXT,
  BERTHCTL_KIND_FILE,    /* "-" is standard output, or input */
  BERTHCTL_KIND_BYTES,   /* with an optional unit */
  BERTHCTL_KIND_COUNT,   /* greater than 0 */
  BERTHCTL_KIND_SECONDS, /* greater than 0, with an optional fraction */
  BERTHCTL_KIND_STEP,    /* a whole number of 64 bits */
  BERTHCTL_KIND_PERCENT, /* in steps of 1/10000 */
};

/* X(NAME, word, letter or 0, kind, value, verbs, environment or NULL, text) */
#define BERTHCTL_OPTIONS(X)                                                                                  \
  X(SERVER, "server", 's', TEXT, "ADDRESS", BERTHCTL_ON_REMOTE, "BERTH_SERVER",                              \
    "where the daemon listens: unix:PATH or HOST:PORT; " BERTHCTL_DEFAULT_SERVER " by default")              \
  X(TLS_CA, "tls-ca", 0, FILE, "FILE", BERTHCTL_ON_REMOTE, "BERTH_TLS_CA",                                   \
    "connect with TLS, and accept servers that these authorities (PEM) vouch for")                           \
  X(TLS_CERT, "tls-cert", 0, FILE, "FILE", BERTHCTL_ON_REMOTE, "BERTH_TLS_CERT",                             \
    "connect with TLS, and show this certificate (PEM)")                                                     \
  X(TLS_KEY, "tls-key", 0, FILE, "FILE", BERTHCTL_ON_REMOTE, "BERTH_TLS_KEY",                                \
    "the certificate's private key (PEM)")                                                                   \
  X(LOCAL, "local", 'l', FLAG, NULL, BERTHCTL_ON_SEARCH | BERTHCTL_ON(VERIFY), NULL,                         \
    "do it in this process, without a daemon")                                                               \
  X(CAPACITY, "capacity", 'c', BYTES, "BYTES", BERTHCTL_ON_PLAN, NULL,                                       \
    "what the arena may take at most; units such as KiB, MiB and GiB (or MB) are understood")                \
  X(TOGETHER, "together", 0, TEXT, "HOW", BERTHCTL_ON_PLAN | BERTHCTL_ON(EXPLAIN), NULL,                     \
    "plan several FILEs in one arena: share (they run after each other), add (at once), or sets of those "   \
    "that may run at once, by their names, such as a+b,b+c; a part's name is that of its file, without "     \
    "what follows the first dot")                                                                            \
  X(SHARED, "shared", 0, TEXT, "ID,...", BERTHCTL_ON_PLAN | BERTHCTL_ON(EXPLAIN), NULL,                      \
    "with --together: buffers (of graphs: constants and state) that the FILEs have in common, each at one "  \
    "place and alive throughout")                                                                            \
  X(INSTANCES, "instances", 0, FLAG, NULL, BERTHCTL_ON(FIT), NULL,                                           \
    "count how many instances fit side by side, with no order between them")                                 \
  X(SHARE_CONSTANTS, "share-constants", 0, FLAG, NULL, BERTHCTL_ON(FIT), NULL,                               \
    "with --instances: constants are there once, for all of them")                                           \
  X(EXPLAIN_MISS, "explain-miss", 0, FLAG, NULL, BERTHCTL_ON(PLAN), NULL,                                    \
    "where the daemon's cache has no plan, say why: the nearest key that it remembers, and what differs")    \
  X(BUDGET, "budget", 'b', COUNT, "TICKS", BERTHCTL_ON_SEARCH, NULL,                                         \
    "effort after which the search ends, the same on every machine; 10^9 ticks are some seconds")            \
  X(THREADS, "threads", 0, COUNT, "N", BERTHCTL_ON_SEARCH, NULL,                                             \
    "with --local: how many threads plan, at most 60; one a processor by default. The plan is the same "     \
    "with any number")                                                                                       \
  X(REUSE, "reuse", 0, TEXT, "LEVEL",                                                                        \
    BERTHCTL_ON_SEARCH | BERTHCTL_ON(VERIFY) | BERTHCTL_ON(GET) | BERTHCTL_ON(EXPLAIN), NULL,                \
    "full, no-inplace (no result shares bytes with an operand) or none (every buffer by itself); by "        \
    "default "                                                                                               \
    "the smaller of the first two")                                                                          \
  X(SYNC_COST, "sync-cost", 0, BYTES, "BYTES", BERTHCTL_ON_SEARCH, NULL,                                     \
    "let the planner ask for waits between streams that the graph does not have, where each saves more "     \
    "than "                                                                                                  \
    "BYTES of the arena; the plan lists them, and is right only where all of them are added")                \
  X(MAX_SYNCS, "max-syncs", 0, COUNT, "N", BERTHCTL_ON_SEARCH, NULL,                                         \
    "with --sync-cost: how many waits may be added at most; as many as pay by default")                      \
  X(DEADLINE, "deadline", 'd', SECONDS, "SECONDS", BERTHCTL_ON_REMOTE, NULL,                                 \
    "time after which the best plan so far must do, marked as cut short; other calls fail then")             \
  X(SYMBOL, "symbol", 0, TEXT, "SYMBOL", BERTHCTL_ON(FIT), NULL,                                             \
    "find the largest number of this symbol at which the problem fits")                                      \
  X(LIMIT, "limit", 0, COUNT, "N", BERTHCTL_ON(FIT), NULL,                                                   \
    "where the search for --symbol ends; its upper bound, or 2^20 if it has none")                           \
  X(MARGIN, "margin", 0, TEXT, "SHARE", BERTHCTL_ON(FIT), NULL,                                              \
    "how much larger than planned an arena may turn out to be, such as 10%, or how many bytes must stay "    \
    "free, such as 64MiB: with --symbol that much of the capacity is not used")                              \
  X(BIND, "bind", 'B', TEXT, "SYMBOL=N,...", BERTHCTL_ON_BOUND, NULL,                                        \
    "numbers for the problem's symbols, or ranges such as n=1..8; what is not bound is planned for at the "  \
    "most that it can be. plan takes several: n=1,2,4 or --bind again; each is planned by itself, none "     \
    "larger than at the bounds, and their arenas are summed up")                                             \
  X(STRICT, "strict", 0, FLAG, NULL, BERTHCTL_ON_BOUND, NULL,                                                \
    "a size without an upper bound is an error, and not left to the dynamic arena")                          \
  X(STABLE_WITH, "stable-with", 0, FILE, "PLAN", BERTHCTL_ON(PLAN), NULL,                                    \
    "keep the places of this plan, which plan --json printed, of as many buffers as can be; they are found " \
    "again by their ids. Shows who moved")                                                                   \
  X(GROWTH, "growth", 0, TEXT, "LIMIT", BERTHCTL_ON(PLAN), NULL,                                             \
    "with --stable-with: what each arena may grow by for that, such as 0, 64KiB or 5%; least: the smallest " \
    "arenas first, and then the fewest moves; any by default")                                               \
  X(KEEP_BY, "keep-by", 0, TEXT, "UNIT", BERTHCTL_ON(PLAN), NULL,                                            \
    "with --stable-with: keep most buffers, which is the default, or most bytes")                            \
  X(MUST_KEEP, "must-keep", 0, TEXT, "WHO,...", BERTHCTL_ON(PLAN), NULL,                                     \
    "with --stable-with: who must keep its place, or there is no plan: ids of buffers, class:CLASS, "        \
    "pool:NAME, or all")                                                                                     \
  X(BASELINE, "baseline", 0, FILE, "FILE", BERTHCTL_ON(CHECK), NULL, "the plan to compare with, as JSON")    \
  X(TOLERANCE, "tolerance", 't', PERCENT, "PERCENT", BERTHCTL_ON(CHECK), NULL,                               \
    "how much larger than the baseline's the arena may be, such as 2%; 0 by default")                        \
  X(STEP, "step", 0, STEP, "STEP", BERTHCTL_ON(EXPLAIN), NULL, "explain this step, and not the peak's")      \
  X(TIMELINE, "timeline", 0, TEXT, "FORM", BERTHCTL_ON(EXPLAIN), NULL,                                       \
    "show the bytes that are live over time, and nothing else: text, csv or json")                           \
  X(NAME, "name", 'n', TEXT, "NAME",                                                                         \
    BERTHCTL_ON_OUTPUT &                                                                                     \
        ~(BERTHCTL_ON(SERVER) | BERTHCTL_ON(DIFF) | BERTHCTL_ON(CHECK) | BERTHCTL_ON_STORED),                \
    NULL, "the problem's name in what is printed; the file's name by default")                               \
  X(POOL, "pool", 0, TEXT, "INDEX", BERTHCTL_ON(MEASURE), NULL,                                              \
    "the pool whose peak was measured; 0, the first, by default")                                            \
  X(SOURCE, "source", 0, TEXT, "TEXT", BERTHCTL_ON(MEASURE), NULL, "who measured, in at most 63 bytes")      \
  X(JSON, "json", 'j', FLAG, NULL, BERTHCTL_ON_OUTPUT & ~BERTHCTL_ON(RM), NULL, "print one JSON object")     \
  X(CSV, "csv", 0, FILE, "FILE", BERTHCTL_ON_PLAN | BERTHCTL_ON(GET), NULL,                                  \
    "write the problem with its offsets as MiniMalloc's CSV; '-' is standard output")                        \
  X(SVG, "svg", 0, FILE, "FILE", BERTHCTL_ON_PLAN | BERTHCTL_ON(GET), NULL,                                  \
    "draw the plan: steps across, offsets up; '-' is standard output")                                       \
  X(ALL, "all", 'a', FLAG, NULL,                                                                             \
    BERTHCTL_ON_OUTPUT & ~(BERTHCTL_ON(SERVER) | BERTHCTL_ON(RM) | BERTHCTL_ON(MEASURE)), NULL,              \
    "show every row of the table, and not only the largest")                                                 \
  X(QUIET, "quiet", 'q', FLAG, NULL, BERTHCTL_ON_OUTPUT, NULL,                                               \
    "print nothing but what was asked for and errors")                                                       \
  X(NO_COLOR, "no-color", 0, FLAG, NULL, BERTHCTL_ON_ALL, NULL,                                              \
    "no colours, also where output is a terminal; as the environment variable NO_COLOR")                     \
  X(HELP, "help", 'h', FLAG, NULL, BERTHCTL_ON_ALL, NULL, "show help and exit")                              \
  X(VERSION, "version", 'V', FLAG, NULL, BERTHCTL_ON_ALL, NULL, "show the version and exit")

enum berthctl_option {
#define X(name, word, letter, kind, value, verbs, environment, text) BERTHCTL_OPTION_##name,
  BERTHCTL_OPTIONS(X)
#undef X
      BERTHCTL_N_OPTIONS
};

struct berthctl_verb_row {
  const char *word;
  const char *arguments;
  unsigned least;
  unsigned most;
  const char *summary;
  const char *description;
};

struct berthctl_option_row {
  const char *word;
  char letter;
  enum berthctl_kind kind;
  const char *value;
  unsigned verbs;
  const char *environment;
  const char *text;
};

/* X(status, text): what berthctl exits with. */
#define BERTHCTL_EXITS(X)                                                                                    \
  X(OK, 0, "done")                                                                                           \
  X(INTERNAL, 1, "a defect in berthctl or in the server, or output that could not be written")               \
  X(USAGE, 2, "the command line is wrong")                                                                   \
  X(NOT_FOUND, 3, "no such plan, or no such file")                                                           \
  X(BAD_INPUT, 4, "an input is malformed or over a limit")                                                   \
  X(NO_FIT, 5, "no plan within the capacity, or an arena beyond the tolerance")                              \
  X(UNAVAILABLE, 6, "the server cannot be reached, or cannot take the request now; retry later")             \
  X(DEADLINE, 7, "the deadline passed")                                                                      \
  X(CREDENTIALS, 8, "no, bad or insufficient credentials")                                                   \
  X(NOT_VALID, 9, "the plan failed verification")                                                            \
  X(INTERRUPTED, 130, "interrupted")

enum berthctl_exit {
#define X(name, status, text) BERTHCTL_EXIT_##name = status,
  BERTHCTL_EXITS(X)
#undef X
};

extern const struct berthctl_verb_row BERTHCTL_VERB_ROWS[BERTHCTL_N_VERBS];
extern const struct berthctl_option_row BERTHCTL_OPTION_ROWS[BERTHCTL_N_OPTIONS];

/* Whether the option goes with the verb. */
static inline bool berthctl_option_is_on(enum berthctl_option option, enum berthctl_verb verb) {
  return (BERTHCTL_OPTION_ROWS[option].verbs >> verb & 1) != 0;
}

#endif
