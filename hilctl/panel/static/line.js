// The page's own line to the panel: what comes for the scope, what the operator stops, and that somebody is here.
// It needs no other script: stop works while nothing is drawn.
const hilctl = window.hilctl;
const HEADER = 56, PLANE = 2;
const SILENT_MS = 2500;  // the panel asks twice a second whether somebody is here
export const ROOM = 2048;  // columns that are kept of each trace
Object.assign(hilctl, { frames: 0, drawn: 0, socket: null, connected: false, stopped: 0 });

function connect() {
  const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/live/${hilctl.page}`);
  socket.binaryType = 'arraybuffer';
  socket.onopen = () => {
    hilctl.connected = true;
    scope.taken = scope.painted = scope.said = 0;
    heard();
  };
  socket.onmessage = (message) => {
    heard();
    if (typeof message.data === 'string') about(JSON.parse(message.data));
    else take(message.data);
  };
  socket.onclose = (event) => {
    hilctl.connected = false;
    document.body.classList.add('hil-away');
    if (event.code === 4404) location.reload();  // the panel was started again, and knows this page no more
    else setTimeout(connect, 500);
  };
  hilctl.socket = socket;
}

function heard() {
  hilctl.heard_ms = performance.now();
  document.body.classList.remove('hil-away');
}

// A network that is lost closes no connection.
setInterval(() => {
  if (hilctl.connected && performance.now() > hilctl.heard_ms + SILENT_MS) document.body.classList.add('hil-away');
}, 500);

export function send(what) {
  if (hilctl.connected) hilctl.socket.send(JSON.stringify(what));
}

hilctl.stop = () => {
  hilctl.stopped += 1;
  hilctl.stopped_ms = performance.timeOrigin + performance.now();
  if (hilctl.connected) send({ stop: hilctl.stopped });
  else fetch('/stop', { method: 'POST' }).then(async (answer) => stopped(answer.ok ? '' : await answer.text()))
    .catch(() => stopped('the panel does not answer'));
};

// Empty: the service has taken it.
function stopped(why) {
  let line = document.getElementById('hil-stopped');
  if (!line) {
    line = document.body.appendChild(document.createElement('div'));
    line.id = 'hil-stopped';
    line.setAttribute('role', 'alert');
  }
  line.textContent = why && `STOP was not taken: ${why}. Stop at the rig.`;
}

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') { event.preventDefault(); hilctl.stop(); }
}, true);
document.addEventListener('click', (event) => {
  if (event.target.closest && event.target.closest('.hil-stop')) hilctl.stop();
}, true);

// --- what comes

export const scope = {
  about: null, ring: [], step: 1, end: 0, window: [0, 2], have: [0, 0], pairs: null,
  cursors: null, held: 'a', drag: null, canvas: null, dirty: false,
  taken: 0, painted: 0, said: 0,  // frames of this connection; those of which the panel knows that they are drawn
};
hilctl.scope = scope;

function about(told) {
  if (told.here) send({ here: 1 });
  if (told.stop !== undefined) stopped(told.stop);
  if (told.generation === undefined) return;
  scope.about = told;
  scope.ring = told.channels.map(() => new Float32Array(2 * ROOM).fill(NaN));
  scope.have = [0, 0];
  scope.pairs = null;
  scope.dirty = true;
}

function take(buffer) {
  const head = new DataView(buffer);
  const [kind, generation, traces, count] = [0, 4, 8, 12].map((at) => head.getUint32(at, true));
  const [first, step, end, from, length] = [16, 24, 32, 40, 48].map((at) => head.getFloat64(at, true));
  const values = new Float32Array(buffer, HEADER);
  hilctl.frames += 1;
  scope.taken += 1;
  if (scope.about && generation === scope.about.generation) {
    scope.step = step;
    scope.end = end;
    scope.window = [from, from + length];
    if (kind === PLANE) scope.pairs = values;
    else {
      for (let trace = 0; trace < traces; trace++) {
        const ring = scope.ring[trace];
        for (let column = 0; column < count; column++) {
          const place = 2 * ((first + column) % ROOM), at = 2 * (trace * count + column);
          ring[place] = values[at];
          ring[place + 1] = values[at + 1];
        }
      }
      scope.have = [scope.have[1] ? Math.max(scope.have[0], first + count - ROOM) : first, first + count];
    }
  }
  scope.dirty = true;
}

connect();
