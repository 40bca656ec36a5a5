#include "codec/largest.h"

#include <string.h>

#include "codec/internal.h"

/* ---- The question ---- */

/* 0 and 0 stand for what the problem has the symbol bound to. */
static void take_range(const struct berth_binding *range, struct berth_largest_question *question) {
  if (question->first != 0 || question->last != 0) {
    return;
  }
  question->first = range->lower;
  question->last = range->upper;
  if (range->upper == BERTH_UNBOUNDED) {
    bool is_near = range->lower < BERTH_UNBOUNDED - BERTH_LARGEST_RANGE;
    question->last = is_near ? range->lower + BERTH_LARGEST_RANGE - 1 : BERTH_UNBOUNDED - 1;
  }
}

static enum berth_code take_question(
    const Berth__V1__FindLargestBindingRequest *m, struct berth_codec_largest *out, struct berth_error *err) {
  struct berth_text name = {.data = m->symbol, .size = (uint32_t)strlen(m->symbol)};
  struct berth_symbol bounds;
  struct berth_binding range;
  if (!berth_problem_symbol_range(out->problem, name, &bounds, &range)) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_SYMBOL, BERTH_NO_INDEX, "symbol",
        "symbol is \"%.64s\"; the problem has no symbol of this name", m->symbol);
  }
  if (m->max_plans > BERTH_LARGEST_MOST_PLANS) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_NUMBER, BERTH_NO_INDEX, "max_plans",
        "max_plans is %u; at most %d are made", m->max_plans, BERTH_LARGEST_MOST_PLANS);
  }
  out->question = (struct berth_largest_question){
      .symbol = range.symbol,
      .first = m->first,
      .last = m->last,
      .max_plans = m->max_plans != 0 ? m->max_plans : BERTH_LARGEST_MOST_PLANS};
  take_range(&range, &out->question);
  return BERTH_OK;
}

/* Nothing is kept while a symbol varies: places that one binding keeps are in the way of another. */
static enum berth_code
take_options(const Berth__V1__PlanOptions *m, struct berth_codec_largest *out, struct berth_error *err) {
  if (m != NULL && m->keep != NULL) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_KEEP, BERTH_NO_INDEX, "options.keep",
        "options.keep is given, and no plan is kept while a symbol varies");
  }
  return berth_codec_options_from_message(m, &out->options, err);
}

enum berth_code berth_codec_decode_largest(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_largest *out,
    struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  *out = (struct berth_codec_largest){.problem = NULL};
  enum berth_code code = berth_codec_unpack(
      codec, &berth__v1__find_largest_binding_request__descriptor, false, bytes, n_bytes, &memory, &message,
      err);
  if (code != BERTH_OK) {
    return code;
  }
  const Berth__V1__FindLargestBindingRequest *request = (const Berth__V1__FindLargestBindingRequest *)message;
  code = take_options(request->options, out, err);
  if (code == BERTH_OK) {
    code = berth_codec_problem_from_message(codec, request->problem, out->options.reuse, &out->problem, err);
  }
  code = code != BERTH_OK ? code : take_question(request, out, err);
  protobuf_c_message_free_unpacked(message, &memory.base);
  if (code != BERTH_OK) {
    berth_codec_largest_finish(out);
  }
  return code;
}

void berth_codec_largest_finish(struct berth_codec_largest *request) {
  berth_problem_unref(request->problem);
  request->problem = NULL;
}

enum berth_code berth_codec_encode_largest(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_largest_question *question, const struct berth_allocator *allocator,
    const struct berth_codec_sink *sink, struct berth_error *err) {
  Berth__V1__Problem problem_message = BERTH__V1__PROBLEM__INIT;
  Berth__V1__PlanOptions options_message = BERTH__V1__PLAN_OPTIONS__INIT;
  Berth__V1__FindLargestBindingRequest request = BERTH__V1__FIND_LARGEST_BINDING_REQUEST__INIT;
  struct berth_codec_columns *columns = NULL;
  char symbol[256]; /* a name has 255 bytes at most */
  enum berth_code code =
      berth_codec_message_from_problem(problem, allocator, &problem_message, &columns, err);
  if (code != BERTH_OK) {
    return code;
  }
  size_t n = question->symbol.size < sizeof symbol ? question->symbol.size : sizeof symbol - 1;
  memcpy(symbol, question->symbol.data, n);
  symbol[n] = '\0';
  const char *off[32];
  berth_codec_options_to_message(options, &options_message, off);
  request.problem = &problem_message;
  request.options = &options_message;
  request.symbol = symbol;
  request.first = question->first;
  request.last = question->last;
  request.max_plans = question->max_plans;
  code = berth_codec_pack(&request.base, sink, err);
  berth_codec_columns_destroy(columns);
  return code;
}

/* ---- The answer ---- */

static Berth__V1__BindingPoint *
put_point(const struct berth_largest_point *point, Berth__V1__BindingPoint *message) {
  if (!point->is_asked) {
    return NULL;
  }
  berth__v1__binding_point__init(message);
  message->value = point->n;
  message->answer = (Berth__V1__FitAnswer)(point->answer + 1);
  if (point->answer == BERTH_FIT_YES) {
    message->arena_bytes = point->bytes;
  } else {
    message->lower_bound_bytes = point->bytes != UINT64_MAX ? point->bytes : 0;
  }
  return message;
}

enum berth_code berth_codec_encode_largest_response(
    const struct berth_largest *largest, const struct berth_codec_sink *sink, struct berth_error *err) {
  const struct berth_fit_search *search = &largest->search;
  Berth__V1__FindLargestBindingResponse message = BERTH__V1__FIND_LARGEST_BINDING_RESPONSE__INIT;
  Berth__V1__BindingPoint points[2];
  message.has_largest = search->has_largest;
  message.largest = search->largest;
  message.largest_proven = search->largest_is_known;
  message.has_all_up_to = search->has_all;
  message.all_up_to = search->all;
  message.all_up_to_proven = search->all_is_known;
  message.first = search->first;
  message.last = search->last;
  message.plan_count = largest->n_plans;
  message.at_largest = put_point(&largest->at, &points[0]);
  message.above_largest = put_point(&largest->above, &points[1]);
  message.stopped = largest->is_stopped;
  message.has_misfit = search->has_misfit;
  message.smallest_misfit = search->misfit;
  return berth_codec_pack(&message.base, sink, err);
}

static enum berth_code
take_point(const Berth__V1__BindingPoint *message, struct berth_largest_point *out, struct berth_error *err) {
  if (message == NULL) {
    return BERTH_OK;
  }
  if (message->answer < BERTH__V1__FIT_ANSWER__FIT_ANSWER_FITS ||
      message->answer > BERTH__V1__FIT_ANSWER__FIT_ANSWER_UNKNOWN) {
    return berth_codec_refuse_answer(err, "answer", "is none");
  }
  *out = (struct berth_largest_point){
      .is_asked = true, .n = message->value, .answer = (enum berth_fit_answer)(message->answer - 1)};
  bool is_bounded = message->lower_bound_bytes != 0 || out->answer == BERTH_FIT_UNKNOWN;
  out->bytes = out->answer == BERTH_FIT_YES ? message->arena_bytes
               : is_bounded                 ? message->lower_bound_bytes
                                            : UINT64_MAX;
  return BERTH_OK;
}

enum berth_code berth_codec_decode_largest_response(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_largest *out,
    struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  *out = (struct berth_largest){.n_plans = 0};
  enum berth_code code = berth_codec_unpack_answer(
      codec, &berth__v1__find_largest_binding_response__descriptor, bytes, n_bytes, &memory, &message, err);
  if (code != BERTH_OK) {
    return code;
  }
  const Berth__V1__FindLargestBindingResponse *m = (const Berth__V1__FindLargestBindingResponse *)message;
  out->search = (struct berth_fit_search){
      .has_largest = m->has_largest,
      .largest = m->largest,
      .largest_is_known = m->largest_proven,
      .has_all = m->has_all_up_to,
      .all = m->all_up_to,
      .all_is_known = m->all_up_to_proven,
      .has_misfit = m->has_misfit,
      .misfit = m->smallest_misfit,
      .first = m->first,
      .last = m->last};
  out->n_plans = m->plan_count;
  out->is_stopped = m->stopped;
  code = take_point(m->at_largest, &out->at, err);
  code = code != BERTH_OK ? code : take_point(m->above_largest, &out->above, err);
  protobuf_c_message_free_unpacked(message, &memory.base);
  return code;
}
