// A whole client for a rig on another machine: arms it, tracks a triangle, prints what came of it.
//
// npm install zeromq @msgpack/msgpack
// node plain_remote.mjs tcp://rig-pc:9870 alice.key
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { decode, encode } from "@msgpack/msgpack";
import { Dealer } from "zeromq";

const [where, file] = process.argv.slice(2);
const key = Object.fromEntries([...readFileSync(file, "utf8").matchAll(/^(\w+) = "(.*)"$/gm)].map((m) => [m[1], m[2]]));
const socket = new Dealer({
  curveServerKey: key.server, curvePublicKey: key.public, curveSecretKey: key.secret, receiveTimeout: 5000, linger: 0,
});
socket.connect(where);
const client = randomUUID();
let count = 0;
let lease = "";

async function receive() {
  try {
    return decode((await socket.receive())[0]);
  } catch (error) {
    if (error.code === "EAGAIN") return null;
    throw error;
  }
}

// The result of an operation; without a reply, the same bytes are sent again, and it is done once.
async function ask(op, args = {}) {
  const id = ++count;
  const request = encode({ v: 1, client, id, op, args, lease });
  for (let tries = 0; tries < 3; tries++) {
    await socket.send(request);
    for (let reply = await receive(); reply !== null; reply = await receive()) {
      if (reply.id !== id) continue;
      if (!reply.ok) throw new Error(`${op}: ${reply.error.code}: ${reply.error.message}`);
      return reply.result;
    }
  }
  throw new Error(`${op}: no reply; is the key right, and does the service run?`);
}

async function over(args) {
  for (;;) {
    const seen = await ask("wait", { ...args, timeout_s: 2 });
    if (seen.over) return seen;
  }
}

const rate = (await ask("hello", { protocol: 1 })).rate_hz;
lease = (await ask("lease", { action: "take", kind: "console" })).token;
await ask("arm");
await over({ mode: "hold" });
const motion = await ask("track", { kind: "triangle", parameters: { speed_m_s: 0.02, amplitude_m: 0.005, cycles: 2 } });
const end = await over({ motion: motion.motion });
const page = await ask("fetch", { first: motion.first, last: end.last, channels: ["error_m"], every: Math.floor(rate / 100) });
const view = new DataView(page.columns.error_m.buffer, page.columns.error_m.byteOffset, page.columns.error_m.byteLength);
let largest = 0;
for (let k = 0; k < page.count; k++) largest = Math.max(largest, Math.abs(view.getFloat64(8 * k, true)));
console.log(`${end.why}: largest error ${(1e6 * largest).toFixed(0)} µm over ${motion.seconds.toFixed(1)} s`);
await ask("off");
socket.close();
