// A Node client: @grpc/grpc-js with messages loaded from the .proto files. Prints one JSON object of what it saw.
//   node client.mjs ADDRESS PROTO_FOLDER HEALTH_PROTO_FOLDER
import { createRequire } from "node:module";

const require = createRequire(process.env.BERTH_TEST_MODULES + "/");
const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");

const [address, protos, healthProtos] = process.argv.slice(2);
const definition = loader.loadSync(["berth/v1/plan_service.proto", "grpc/health/v1/health.proto"], {
  includeDirs: [protos, healthProtos],
  keepCase: true,
  longs: Number,
  enums: String,
  oneofs: true,
  defaults: true,
});
const packages = grpc.loadPackageDefinition(definition);
const plans = new packages.berth.v1.PlanService(address, grpc.credentials.createInsecure());
const health = new packages.grpc.health.v1.Health(address, grpc.credentials.createInsecure());
const deadline = () => new Date(Date.now() + 30_000);

function unary(stub, method, request) {
  return new Promise((resolve) => {
    stub[method](request, new grpc.Metadata(), { deadline: deadline() }, (error, reply) => {
      resolve(error ? { code: error.code, message: error.details, details: error.metadata.get("grpc-status-details-bin").length } : reply);
    });
  });
}

function stream(request) {
  return new Promise((resolve, reject) => {
    const events = [];
    plans.StreamPlan(request, new grpc.Metadata(), { deadline: deadline() })
      .on("data", (message) => events.push(message))
      .on("error", reject)
      .on("end", () => resolve(events));
  });
}

// A 1024 [0,3), B 2048 [1,4), C 512 [4,6), D 1536 [4,7)
const problem = {
  buffer_size_bytes: [1024, 2048, 512, 1536],
  buffer_lower: [0, 1, 4, 4],
  buffer_upper: [3, 4, 6, 7],
  buffer_id_text: Buffer.from("ABCD"),
  buffer_id_end: [1, 2, 3, 4],
};
const seen = {
  health: await unary(health, "Check", { service: "" }),
  first: await unary(plans, "ComputePlan", { problem }),
  second: await unary(plans, "ComputePlan", { problem }),
  stream: await stream({ problem, options: { budget_ticks: 1000000 } }),
  bad: await unary(plans, "ComputePlan", { problem: { ...problem, buffer_upper: [3] } }),
  unknown: await unary(plans, "GetPlan", { plan_id: "0".repeat(64) }),
};
console.log(JSON.stringify(seen));
plans.close();
health.close();
