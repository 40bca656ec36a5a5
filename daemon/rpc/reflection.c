/* Server reflection, v1 and v1alpha: what buf curl, grpcurl and the like ask for. The two versions have the
 * same messages under different names, with the same field numbers, so both are served with the structs of
 * v1.
 *
 * A stream answers one request at a time: read, answer, and when the answer is written, read again. */
#include <stdlib.h>
#include <string.h>

#include "codec/memory.h"
#include "codec/wire.h"
#include "grpc/reflection/v1/reflection.pb-c.h"
#include "rpc/internal.h"

#define FILE_FIELD_TAG 0x0a /* FileDescriptorSet.file = 1, with a length */
#define MAX_FILES 32

extern const unsigned char berth_descriptor_set[];
extern const size_t berth_descriptor_set_size;

typedef Grpc__Reflection__V1__ServerReflectionRequest request_message;
typedef Grpc__Reflection__V1__ServerReflectionResponse response_message;

static const char *const SERVICES[] = {
    "berth.v1.PlanService",
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
};
enum { N_SERVICES = sizeof SERVICES / sizeof SERVICES[0] };

/* ---- The descriptor set: just enough of a reader, over bytes that protoc wrote ---- */

struct span {
  const uint8_t *data;
  size_t size;
};

static bool take_varint(struct span *from, uint64_t *out) {
  *out = 0;
  for (unsigned shift = 0; shift < 64 && from->size > 0; shift += 7) {
    uint8_t byte = *from->data++;
    from->size--;
    *out |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      return true;
    }
  }
  return false;
}

/* The next field with a length; other fields are stepped over. False at the end. */
static bool take_field(struct span *from, uint64_t *out_number, struct span *out) {
  uint64_t tag;
  uint64_t value;
  while (from->size > 0 && take_varint(from, &tag) && take_varint(from, &value)) {
    if ((tag & 7) != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED) {
      continue; /* descriptors have varints otherwise */
    }
    if (value > from->size) {
      return false;
    }
    *out_number = tag >> 3;
    *out = (struct span){from->data, (size_t)value};
    from->data += value;
    from->size -= (size_t)value;
    return true;
  }
  return false;
}

/* The first field of that number as text. */
static struct span field_of(struct span message, uint64_t number) {
  uint64_t n;
  struct span field;
  while (take_field(&message, &n, &field)) {
    if (n == number) {
      return field;
    }
  }
  return (struct span){NULL, 0};
}

static bool equals(struct span text, const char *other, size_t n) {
  return text.size == n && (n == 0 || memcmp(text.data, other, n) == 0);
}

/* FileDescriptorProto: name = 1, package = 2, dependency = 3, message_type = 4, enum_type = 5, service = 6.
 * In messages: field = 2, nested_type = 3, enum_type = 4; in services: method = 2; names are 1 everywhere. */
static size_t load_files(struct span files[MAX_FILES]) {
  struct span set = {berth_descriptor_set, berth_descriptor_set_size};
  uint64_t number;
  size_t n = 0;
  while (n < MAX_FILES && take_field(&set, &number, &files[n])) {
    n += number == FILE_FIELD_TAG >> 3;
  }
  return n;
}

/* Whether `symbol` is declared in `message`, whose name it begins with; the rest after a dot may be any
 * member. */
static bool declares(struct span item, const char *symbol) {
  struct span name = field_of(item, 1);
  size_t n = name.size;
  if (n == 0 || strncmp(symbol, (const char *)name.data, n) != 0) {
    return false;
  }
  if (symbol[n] == '\0') {
    return true;
  }
  if (symbol[n] != '.') {
    return false;
  }
  const char *member = symbol + n + 1;
  uint64_t number;
  struct span inner;
  while (take_field(&item, &number, &inner)) {
    bool named = number == 2 || number == 3 || number == 4;
    if (named && equals(field_of(inner, 1), member, strlen(member))) {
      return true;
    }
  }
  return false;
}

static bool file_declares(struct span file, const char *symbol) {
  struct span package = field_of(file, 2);
  if (strncmp(symbol, (const char *)package.data, package.size) != 0 || symbol[package.size] != '.') {
    return false;
  }
  symbol += package.size + 1;
  uint64_t number;
  struct span item;
  while (take_field(&file, &number, &item)) {
    if (number >= 4 && number <= 6 && declares(item, symbol)) {
      return true;
    }
  }
  return false;
}

/* ---- Answers ---- */

struct answer {
  response_message message;
  Grpc__Reflection__V1__FileDescriptorResponse files;
  Grpc__Reflection__V1__ListServiceResponse list;
  Grpc__Reflection__V1__ServiceResponse services[N_SERVICES];
  Grpc__Reflection__V1__ServiceResponse *service_list[N_SERVICES];
  Grpc__Reflection__V1__ErrorResponse error;
  ProtobufCBinaryData file_list[MAX_FILES];
};

static char *text(const char *literal) { /* protobuf-c only reads it */
  return (char *)(uintptr_t)literal;
}

static void answer_error(struct answer *answer, enum berth_code code, const char *what) {
  grpc__reflection__v1__error_response__init(&answer->error);
  answer->error.error_code = (int32_t)code;
  answer->error.error_message = text(what);
  answer->message.message_response_case =
      GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ERROR_RESPONSE;
  answer->message.error_response = &answer->error;
}

static size_t find_file(const struct span *files, size_t n_files, struct span name) {
  for (size_t i = 0; i < n_files; i++) {
    if (equals(field_of(files[i], 1), (const char *)name.data, name.size)) {
      return i;
    }
  }
  return n_files;
}

/* A file and all that it imports, each once. */
static void answer_file(struct answer *answer, const struct span *files, size_t n_files, size_t first) {
  bool taken[MAX_FILES] = {false};
  size_t order[MAX_FILES] = {first};
  size_t n = 1;
  taken[first] = true;
  for (size_t i = 0; i < n; i++) {
    struct span rest = files[order[i]];
    uint64_t number;
    struct span field;
    while (take_field(&rest, &number, &field)) {
      size_t other = number == 3 ? find_file(files, n_files, field) : n_files;
      if (other < n_files && !taken[other]) {
        taken[other] = true;
        order[n++] = other;
      }
    }
  }
  grpc__reflection__v1__file_descriptor_response__init(&answer->files);
  for (size_t i = 0; i < n; i++) {
    const struct span *file = &files[order[i]];
    answer->file_list[i] = (ProtobufCBinaryData){.len = file->size, .data = (uint8_t *)(uintptr_t)file->data};
  }
  answer->files.n_file_descriptor_proto = n;
  answer->files.file_descriptor_proto = answer->file_list;
  answer->message.message_response_case =
      GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_FILE_DESCRIPTOR_RESPONSE;
  answer->message.file_descriptor_response = &answer->files;
}

static void answer_services(struct answer *answer) {
  grpc__reflection__v1__list_service_response__init(&answer->list);
  for (size_t i = 0; i < N_SERVICES; i++) {
    grpc__reflection__v1__service_response__init(&answer->services[i]);
    answer->services[i].name = text(SERVICES[i]);
    answer->service_list[i] = &answer->services[i];
  }
  answer->list.n_service = N_SERVICES;
  answer->list.service = answer->service_list;
  answer->message.message_response_case =
      GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_LIST_SERVICES_RESPONSE;
  answer->message.list_services_response = &answer->list;
}

static void fill_answer(struct answer *answer, request_message *request) {
  struct span files[MAX_FILES];
  size_t n_files = load_files(files);
  size_t i = 0;
  grpc__reflection__v1__server_reflection_response__init(&answer->message);
  answer->message.valid_host = request->host;
  answer->message.original_request = request;
  switch (request->message_request_case) {
  case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES:
    answer_services(answer);
    return;
  case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME: {
    const char *name = request->file_by_filename;
    i = find_file(files, n_files, (struct span){(const uint8_t *)name, strlen(name)});
    break;
  }
  case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL:
    while (i < n_files && !file_declares(files[i], request->file_containing_symbol)) {
      i++;
    }
    break;
  case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_EXTENSION:
  case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_ALL_EXTENSION_NUMBERS_OF_TYPE:
    answer_error(answer, BERTH_NOT_FOUND, "there are no extensions here");
    return;
  default:
    answer_error(answer, BERTH_INVALID_ARGUMENT, "the request asks for nothing");
    return;
  }
  if (i < n_files) {
    answer_file(answer, files, n_files, i);
  } else {
    answer_error(answer, BERTH_NOT_FOUND, "no such file or symbol is here");
  }
}

/* ---- The stream ---- */

static void read_next(struct call *call);

static void end(struct call *call, const struct berth_error *err) {
  if (!endless_leave(call)) {
    return; /* ended already */
  }
  if (err != NULL) {
    call_fail(call, err);
  } else {
    struct reply reply = {.code = BERTH_OK, .text = grpc_empty_slice()};
    call_finish(call, &reply);
  }
  call_unref(call);
}

static void on_received(struct event *event, bool ok) {
  struct call *call = CONTAINER(event, struct call, received);
  struct berth_error err;
  if (!ok || call->incoming == NULL) { /* the client has no more to ask, or is gone */
    end(call, NULL);
    call_unref(call);
    return;
  }
  struct berth_codec_memory memory;
  ProtobufCMessage *request;
  enum berth_code code = unpack_small(
      &grpc__reflection__v1__server_reflection_request__descriptor, call->incoming, &memory, &request, &err);
  grpc_byte_buffer_destroy(call->incoming);
  call->incoming = NULL;
  if (code == BERTH_OK) {
    struct answer answer;
    grpc_slice message;
    fill_answer(&answer, (request_message *)request);
    if (pack_small(&answer.message.base, &message)) {
      call_write(call, message);
    } else {
      code = berth_fail_memory(&err);
    }
    protobuf_c_message_free_unpacked(request, &memory.base);
  }
  if (code != BERTH_OK) {
    end(call, &err);
  }
  call_unref(call);
}

static void read_next(struct call *call) {
  grpc_op op = {.op = GRPC_OP_RECV_MESSAGE};
  op.data.recv_message.recv_message = &call->incoming;
  pthread_mutex_lock(&call->lock);
  call_ref(call);
  event_arm(&call->received, on_received);
  bool started =
      !call->ended && grpc_call_start_batch(call->call, &op, 1, &call->received, NULL) == GRPC_CALL_OK;
  pthread_mutex_unlock(&call->lock);
  if (!started) {
    call_unref(call);
  }
}

static void on_gone(struct call *call) {
  struct berth_error err;
  berth_fail(&err, BERTH_CANCELLED, BERTH_REASON_CANCELLED, BERTH_NO_INDEX, NULL, "the client is gone");
  end(call, &err);
}

void reflection_start(struct call *call) {
  call->on_written = read_next;
  call->on_closed = on_gone;
  call_ref(call);
  if (endless_join(call)) {
    call_watch_close(call);
    read_next(call);
  }
  call_unref(call);
}
