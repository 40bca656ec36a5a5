/* Every option of berthd. From this one table come the parsers of the file, the flags and the environment,
 * the help, the manual pages, the annotated default file, and the struct.
 *
 * Option `key` of `section` is "key = value" under [section] in the file, --section-key VALUE as a flag, and
 * BERTH_SECTION_KEY in the environment ('-' becomes '_'). A flag wins over the environment, that over the
 * file. */
#ifndef CONF_CONF_TABLE_H
#define CONF_CONF_TABLE_H

/* Types: BYTES (512, 64KiB, 1GiB), COUNT, TICKS (2000000000, 2G), DURATION (250ms, 30s, 5m, 1h), BOOL (true,
 * false), TEXT, LIST (words between commas or spaces), MODE (octal), LEVEL (of the log), FORMAT (of the log).
 *
 * X(type, section, key, field, default, least, most, help). Limits are in the type's unit: bytes, ticks, one,
 * milliseconds. */
#define BERTHD_CONF_SECTIONS(X)                                                                              \
  X("listen", "Where clients connect.")                                                                      \
  X("http", "Metrics and health over HTTP.")                                                                 \
  X("server", "Threads, the queue, and the end.")                                                            \
  X("plan", "Deadlines and effort.")                                                                         \
  X("cache", "Plans that are kept.")                                                                         \
  X("limits", "What one request or connection may take.")                                                    \
  X("log", "Log lines go to standard error.")

#define BERTHD_CONF_OPTIONS(X)                                                                               \
  X(TEXT, "listen", "unix", listen_unix, "/run/berth/berthd.sock", 0, 107,                                   \
    "Path of the unix socket. Empty: none. Sockets that systemd hands over take the place of unix and tcp.") \
  X(MODE, "listen", "unix-mode", listen_unix_mode, "0660", 0, 0777,                                          \
    "Permissions of the unix socket, octal.")                                                                \
  X(LIST, "listen", "tcp", listen_tcp, "", 0, 16,                                                            \
    "Addresses HOST:PORT, [IPV6]:PORT. Beyond the loopback they need insecure = true.")                      \
  X(LIST, "listen", "tls", listen_tls, "", 0, 16,                                                            \
    "Addresses HOST:PORT, [IPV6]:PORT that take TLS connections of clients with a certificate.")             \
  X(TEXT, "listen", "tls-cert", listen_tls_cert, "", 0, 400,                                                 \
    "PEM file of the server's certificate and its chain. A name without a slash is one of systemd's "        \
    "credentials. Files that change are read again at the next handshake.")                                  \
  X(TEXT, "listen", "tls-key", listen_tls_key, "", 0, 400, "PEM file of the certificate's private key.")     \
  X(TEXT, "listen", "tls-client-ca", listen_tls_client_ca, "", 0, 400,                                       \
    "PEM file of the authorities whose certificates clients must have.")                                     \
  X(BOOL, "listen", "insecure", listen_insecure, "false", 0, 1,                                              \
    "Allow plain text connections on addresses beyond the loopback. Anyone who reaches them can use the "    \
    "server.")                                                                                               \
  X(TEXT, "http", "listen", http_listen, "127.0.0.1:9464", 0, 107,                                           \
    "Address HOST:PORT or [IPV6]:PORT of /metrics, /healthz and /readyz. Empty: none.")                      \
  X(COUNT, "http", "max-connections", http_max_connections, "64", 1, 4096, "Connections at a time.")         \
  X(COUNT, "server", "workers", server_workers, "0", 0, 1024,                                                \
    "Threads that plan. 0: one a processor that the process may use.")                                       \
  X(COUNT, "server", "helpers", server_helpers, "7", 0, 59,                                                  \
    "Threads that do parts of a search while workers are idle, at most one less than workers. Plans are "    \
    "the same without, later. Each may take as much memory as the search. 0: none.")                         \
  X(COUNT, "server", "rpc-threads", server_rpc_threads, "1", 1, 2,                                           \
    "Threads that serve the completion queue.")                                                              \
  X(COUNT, "server", "queue", server_queue, "256", 1, 1000000,                                               \
    "Computations that may wait for a worker. Beyond it requests are refused with UNAVAILABLE.")             \
  X(COUNT, "server", "queue-buffers", server_queue_buffers, "16000000", 1, 4294967295,                       \
    "Buffers of all computations that wait, together, since memory is what they hold. One may always wait.") \
  X(COUNT, "server", "open-requests", server_open_requests, "4096", 1, 1000000,                              \
    "Requests that may wait for an answer at a time. Beyond it they are refused with UNAVAILABLE.")          \
  X(DURATION, "server", "drain", server_drain, "20s", 0, 3600000,                                            \
    "How long open requests may go on after SIGTERM before they are cut short.")                             \
  X(DURATION, "plan", "default-deadline", plan_default_deadline, "60s", 1, 86400000,                         \
    "Deadline of a request that has none.")                                                                  \
  X(DURATION, "plan", "max-deadline", plan_max_deadline, "10m", 1, 86400000,                                 \
    "Longer deadlines are cut to this.")                                                                     \
  X(TICKS, "plan", "default-budget", plan_default_budget, "2G", 1, 1000000000000000,                         \
    "Effort in ticks of a request that asks for none. 1G is some seconds.")                                  \
  X(TICKS, "plan", "max-budget", plan_max_budget, "1T", 1, 1000000000000000,                                 \
    "A request that asks for more effort is refused.")                                                       \
  X(DURATION, "plan", "progress-interval", plan_progress_interval, "100ms", 1, 60000,                        \
    "Least time between two progress messages of a stream.")                                                 \
  X(BYTES, "cache", "memory", cache_memory, "256MiB", 0, 1099511627776,                                      \
    "Bytes of plans kept in memory. 0: no cache.")                                                           \
  X(BYTES, "cache", "replies", cache_replies, "64MiB", 0, 1099511627776,                                     \
    "Bytes kept for answers in wire form, found by the bytes of their request. 0: none.")                    \
  X(DURATION, "cache", "failure-ttl", cache_failure_ttl, "10s", 0, 3600000,                                  \
    "How long a failure that would come again is remembered. 0: not.")                                       \
  X(BYTES, "limits", "message", limits_message, "256MiB", 1024, 2147483647,                                  \
    "Largest request message, after decompression.")                                                         \
  X(COUNT, "limits", "buffers", limits_buffers, "4000000", 1, 268435456,                                     \
    "Most buffers or values of a problem.")                                                                  \
  X(COUNT, "limits", "operators", limits_operators, "4000000", 1, 268435456, "Most operators of a graph.")   \
  X(COUNT, "limits", "edges", limits_edges, "32000000", 1, 2147483647,                                       \
    "Most inputs, outputs, gaps, pairs and pool choices of a problem, each.")                                \
  X(BYTES, "limits", "text", limits_text, "256", 1, 65536, "Longest id or name.")                            \
  X(COUNT, "limits", "pools", limits_pools, "256", 1, 65536, "Most pools of a problem.")                     \
  X(BYTES, "limits", "request-memory", limits_request_memory, "4GiB", 1048576, 1099511627776,                \
    "Memory that decoding and planning one request may take.")                                               \
  X(COUNT, "limits", "connections", limits_connections, "1000", 1, 1000000,                                  \
    "Connections at a time, of all listeners together.")                                                     \
  X(COUNT, "limits", "streams", limits_streams, "1000", 1, 1000000, "Calls at a time on one connection.")    \
  X(DURATION, "limits", "idle", limits_idle, "5m", 1000, 86400000,                                           \
    "A connection without calls is closed after this.")                                                      \
  X(DURATION, "limits", "handshake", limits_handshake, "20s", 100, 600000,                                   \
    "A connection that never speaks, or does not agree on TLS, is closed after this.")                       \
  X(LEVEL, "log", "level", log_level, "info", 0, 3, "debug, info, warn or error.")                           \
  X(FORMAT, "log", "format", log_format, "text", 0, 1, "text (logfmt) or json.")                             \
  X(COUNT, "log", "rate", log_rate, "50", 0, 1000000,                                                        \
    "Lines a second of one kind; more are left out and counted. 0: no limit.")

#endif
