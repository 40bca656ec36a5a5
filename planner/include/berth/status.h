/* Result codes and errors.
 *
 * A function that can fail returns `enum berth_code`. The numbers are gRPC's, so the service edge translates
 * nothing. An optional last parameter, `struct berth_error *`, is owned by the caller and may be NULL; it is
 * written only when the function does not return BERTH_OK.
 *
 * Outcomes of planning ("does not fit", "cut short") are not errors: they are in `struct berth_plan`.
 */
#ifndef BERTH_STATUS_H
#define BERTH_STATUS_H

#include <stdarg.h>
#include <stdint.h>

enum berth_code {
  BERTH_OK = 0,
  BERTH_CANCELLED = 1,
  BERTH_UNKNOWN = 2,
  BERTH_INVALID_ARGUMENT = 3,
  BERTH_DEADLINE_EXCEEDED = 4,
  BERTH_NOT_FOUND = 5,
  BERTH_ALREADY_EXISTS = 6,
  BERTH_PERMISSION_DENIED = 7,
  BERTH_RESOURCE_EXHAUSTED = 8, /* out of memory, or over a limit */
  BERTH_FAILED_PRECONDITION = 9,
  BERTH_ABORTED = 10,
  BERTH_OUT_OF_RANGE = 11,
  BERTH_UNIMPLEMENTED = 12,
  BERTH_INTERNAL = 13,
  BERTH_UNAVAILABLE = 14,
  BERTH_DATA_LOSS = 15,
  BERTH_UNAUTHENTICATED = 16,
};

#define BERTH_MUST_USE __attribute__((warn_unused_result))
#define BERTH_PRINTF(format_index, first_argument)                                                           \
  __attribute__((format(printf, format_index, first_argument)))

/* Why, as a stable word for programs: one table gives the enum, the name and the description. The names are
 * what google.rpc.ErrorInfo.reason carries. Append only. */
#define BERTH_REASONS(X)                                                                                     \
  X(NONE, "no error")                                                                                        \
  X(OUT_OF_MEMORY, "memory for this request ran out")                                                        \
  X(LIMIT_EXCEEDED, "a documented limit was exceeded")                                                       \
  X(MALFORMED, "the bytes are not of the expected form")                                                     \
  X(MISSING_FIELD, "a required column or field is missing")                                                  \
  X(COLUMN_LENGTH, "columns that must have equal length do not")                                             \
  X(DUPLICATE_ID, "an id is used twice")                                                                     \
  X(UNKNOWN_ID, "an id or index names nothing")                                                              \
  X(BAD_NUMBER, "a number cannot be read or is out of range")                                                \
  X(BAD_LIFETIME, "a lifetime ends before it begins")                                                        \
  X(BAD_ALIGNMENT, "an alignment is not a power of two")                                                     \
  X(BAD_GAP, "a gap lies outside its lifetime, or its window outside its buffer")                            \
  X(BAD_PIN, "a pinned offset breaks alignment, capacity or another pin")                                    \
  X(BAD_POOL, "a pool is unknown, listed twice, or can hold nothing")                                        \
  X(BAD_ORDER, "the operator order is not a topological order")                                              \
  X(BAD_OPTION, "an option is unknown or its value is not allowed")                                          \
  X(SIZE_OVERFLOW, "a sum of sizes does not fit in 63 bits")                                                 \
  X(BAD_TEXT, "text is not valid UTF-8, or holds a NUL byte")                                                \
  X(VERIFICATION_FAILED, "the independent check refused a plan")                                             \
  X(DOES_NOT_FIT, "the problem does not fit in the capacity")                                                \
  X(PLAN_NOT_FOUND, "no plan has this id")                                                                   \
  X(QUEUE_FULL, "the server's queue is full; retry later")                                                   \
  X(DRAINING, "the server is shutting down; retry elsewhere")                                                \
  X(DEADLINE, "the deadline passed")                                                                         \
  X(CANCELLED, "the caller cancelled")                                                                       \
  X(INTERNAL, "a defect in the program")                                                                     \
  X(UNKNOWN_FIELD, "the message has a field that this version does not know")                                \
  X(UNKNOWN_METHOD, "the server has no such method")                                                         \
  X(BAD_VIEW, "a view lies outside its root, or views form a loop")                                          \
  X(BAD_DONATION, "a donation of what is not the caller's input, or that cannot be used and must be")        \
  X(BAD_REGION, "regions are not nested, or one reads what it may not see")                                  \
  X(BAD_SYMBOL, "a symbol, binding or expression is unknown, out of its bounds or without a value")          \
  X(UNBOUNDED, "a size has no largest, since a symbol has no upper bound or a dimension is unknown")         \
  X(BAD_GROUP, "a group whose members cannot lie as it says")                                                \
  X(BAD_KEEP, "a buffer cannot keep the place that it must keep")                                            \
  X(BAD_PART, "parts that cannot be in one arena as they say, or do not agree on what they share")

enum berth_reason {
#define X(name, text) BERTH_REASON_##name,
  BERTH_REASONS(X)
#undef X
};

#define BERTH_NO_INDEX UINT32_MAX
#define BERTH_MESSAGE_SIZE 256
#define BERTH_FIELD_SIZE 64

/* What went wrong, where, and what would be right. `field` is a path in the input's own words ("size",
 * "buffers[7].lower"), empty if no single field is to blame. `index` is the buffer, value or operator, or
 * BERTH_NO_INDEX. `line` and `column` count from 1 in text inputs; 0 means not a text input. */
struct berth_error {
  enum berth_code code;
  enum berth_reason reason;
  uint32_t index;
  uint32_t line;
  uint32_t column;
  char field[BERTH_FIELD_SIZE];
  char message[BERTH_MESSAGE_SIZE];
};

/* Stable names: "INVALID_ARGUMENT", "DUPLICATE_ID". Never NULL. */
const char *berth_code_name(enum berth_code code);
const char *berth_reason_name(enum berth_reason reason);
const char *berth_reason_text(enum berth_reason reason);
/* The reason with this name; NONE for what is none. */
enum berth_reason berth_reason_parse(const char *name);

/* Fills `err` (if not NULL) and returns `code`, so that a failing function ends with
 *   return berth_fail(err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_PIN, i, "offset", "buffer %u ...", i);
 * `field` may be NULL. The message is cut to fit, at a UTF-8 boundary. */
enum berth_code berth_fail(
    struct berth_error *err, enum berth_code code, enum berth_reason reason, uint32_t index,
    const char *field, const char *format, ...) BERTH_PRINTF(6, 7);

/* The one way to say that memory ran out. */
enum berth_code berth_fail_memory(struct berth_error *err);

#endif
