// A whole client for a rig on another machine: arms it, tracks a triangle while it listens to every sample, stops it.
//
// npm install zeromq @msgpack/msgpack
// node plain_remote.mjs tcp://rig-pc:9870 alice.key
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { decode, encode } from "@msgpack/msgpack";
import { Dealer, Subscriber } from "zeromq";

const [where, file] = process.argv.slice(2);
const key = Object.fromEntries([...readFileSync(file, "utf8").matchAll(/^(\w+) = "(.*)"$/gm)].map((m) => [m[1], m[2]]));
const curve = { curveServerKey: key.server, curvePublicKey: key.public, curveSecretKey: key.secret, linger: 0 };
const socket = new Dealer(curve);
socket.connect(where);
const client = randomUUID();
const waiting = new Map(); // who waits for the reply to which request
let count = 0;
let lease = "";

async function listen() {
  for await (const [frame] of socket) {
    const reply = decode(frame);
    waiting.get(reply.id)?.(reply);
  }
}

// The result of an operation; without a reply, the same bytes are sent again, and it is done once.
async function ask(op, args = {}) {
  const id = ++count;
  const request = encode({ v: 1, client, id, op, args, lease });
  for (let tries = 0; tries < 3; tries++) {
    let timer;
    const late = new Promise((resolve) => { timer = setTimeout(resolve, 5000, null); });
    const answered = new Promise((resolve) => waiting.set(id, resolve));
    await socket.send(request);
    const reply = await Promise.race([answered, late]);
    clearTimeout(timer);
    if (reply === null) continue;
    waiting.delete(id);
    if (!reply.ok) throw new Error(`${op}: ${reply.error.code}: ${reply.error.message}`);
    return reply.result;
  }
  throw new Error(`${op}: no reply; is the key right, and does the service run?`);
}

async function over(args) {
  for (;;) {
    const seen = await ask("wait", { ...args, timeout_s: 2 });
    if (seen.over) return seen;
  }
}

// The samples of a block as a Float64Array; of the whole numbers (tick, mode, …), whose `type` is i8, a BigInt64Array.
function column(block, name, Numbers = Float64Array) {
  const bytes = block.columns[name];
  return new Numbers(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

listen();
const hello = await ask("hello", { protocol: 1 });
const port = (end) => Number(hello.endpoints[end].split(":").pop());
const telemetry = new Subscriber(curve);
telemetry.connect(where.replace(/\d+$/, (own) => Number(own) + port("telemetry") - port("commands")));
telemetry.subscribe("block");
lease = (await ask("lease", { action: "take", kind: "attended" })).token;
const beats = setInterval(() => ask("lease", { action: "beat" }).catch(() => {}), 1000 * hello.heartbeat_s);
await ask("arm");
await over({ mode: "hold" });
const motion = await ask("track", { kind: "triangle", parameters: { speed_m_s: 0.02, amplitude_m: 0.005, cycles: 2 } });
const ended = over({ motion: motion.motion });
let [heard, largest, next] = [0, 0, motion.first];
for await (const [, payload] of telemetry) {
  const block = decode(payload);
  if (block.first > next) console.log(`${block.first - next} samples were not heard; \`fetch\` has them`);
  const [motions, errors] = [column(block, "motion", BigInt64Array), column(block, "error_m")];
  for (let k = 0; k < block.count; k++) {
    if (motions[k] !== BigInt(motion.motion)) continue;
    heard++;
    largest = Math.max(largest, Math.abs(errors[k]));
  }
  next = Math.max(next, block.first + block.count);
  if (motions[block.count - 1] !== BigInt(motion.motion) && heard > 0) break;
}
const end = await ended;
console.log(`${end.why}: largest error ${(1e6 * largest).toFixed(0)} µm in ${heard} samples of ${motion.seconds.toFixed(1)} s`);
await ask("stop"); // needs no lease; so does `off`
await ask("off");
clearInterval(beats);
await ask("lease", { action: "release" });
telemetry.close();
socket.close();
