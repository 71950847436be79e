// The scope: draws what has come, once a picture of the screen; cursors, zoom and pan.
import { ROOM, scope, send } from './line.js';

const hilctl = window.hilctl;
const EVERY = 2;  // frames: of each other one the panel hears that it is drawn; it sends four ahead
const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3], [], [7, 4], [2, 3], [10, 3, 2, 3]];

function paint() {
  requestAnimationFrame(paint);
  const canvas = document.querySelector('canvas.hil-scope');
  if (canvas !== scope.canvas) adopt(canvas);
  if (scope.dirty) {
    scope.dirty = false;
    if (canvas && canvas.offsetParent) draw(canvas);
    if (scope.taken > scope.painted) painted();
  }
}

function painted() {
  hilctl.drawn += 1;
  scope.painted = scope.taken;
  if (hilctl.painted) hilctl.painted.push([performance.timeOrigin + performance.now(), scope.end]);
  if (scope.taken >= scope.said + EVERY) send({ drawn: scope.said = scope.taken });
}

function colours(canvas) {
  const style = getComputedStyle(canvas);
  const named = (name) => style.getPropertyValue(name).trim();
  return { ink: named('--hil-ink'), faint: named('--hil-faint'), trace: [...Array(8).keys()].map((k) => named(`--hil-${k}`)) };
}

const PREFIX = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']];
function scaled(size, unit) {
  if (unit === 'ns') { const [f, p] = scaled(size * 1e-9, 's'); return [f * 1e9, p]; }
  if (unit === '' || unit === '°C' || !(size > 0)) return [1, unit];
  const [factor, prefix] = PREFIX.find(([f]) => size >= f) || PREFIX[PREFIX.length - 1];
  return [factor, prefix + unit];
}
function digits(value, step) {
  return (Math.abs(value) < step * 1e-6 ? 0 : value).toFixed(Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9))));
}
function niceStep(span, most) {
  const raw = span / most, base = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((k) => k * base).find((k) => k >= raw * 0.999);
}

function lanes() {
  const { channels, units } = scope.about;
  const found = new Map();
  channels.forEach((name, k) => {
    const key = scope.about.apart ? name : units[k];
    if (!found.has(key)) found.set(key, { unit: units[k], traces: [] });
    found.get(key).traces.push(k);
  });
  return [...found.values()];
}

function span(lane, from, to) {
  let low = Infinity, high = -Infinity;
  for (const trace of lane.traces) {
    const ring = scope.ring[trace];
    for (let column = from; column < to; column++) {
      const place = 2 * (column % ROOM);
      if (ring[place] < low) low = ring[place];
      if (ring[place + 1] > high) high = ring[place + 1];
    }
  }
  if (!(high >= low)) return [-1, 1];
  const least = Math.max(Math.abs(low), Math.abs(high)) * 1e-4 || 1e-3;
  const extra = Math.max(least, (high - low) * 0.05);
  return [low - extra, high + extra];
}

function draw(canvas) {
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const pen = canvas.getContext('2d');
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = '12px system-ui, sans-serif';
  const colour = colours(canvas);
  if (!scope.about) return;
  const area = { left: 76, right: width - 8, top: 6, bottom: height - 24 };
  scope.area = area;
  if (scope.about.pair) return drawPlane(pen, area, colour);
  const [first, last] = scope.window, x = (tick) => area.left + ((tick - first) / (last - first)) * (area.right - area.left);
  const from = Math.max(scope.have[0], Math.floor(first / scope.step)), to = Math.min(scope.have[1], Math.ceil(last / scope.step));
  timeAxis(pen, area, colour, x);
  const all = lanes(), tall = (area.bottom - area.top) / all.length;
  all.forEach((lane, n) => {
    const top = area.top + n * tall + 3, bottom = area.top + (n + 1) * tall - 3;
    const [low, high] = span(lane, from, to), y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top);
    valueAxis(pen, area, colour, lane, low, high, top, bottom, y);
    pen.save();
    pen.beginPath();
    pen.rect(area.left, top - 3, area.right - area.left, bottom - top + 6);
    pen.clip();
    for (const trace of lane.traces) drawTrace(pen, scope.ring[trace], from, to, x, y, colour.trace[trace % 8], DASHES[trace % 8]);
    pen.restore();
    lane.traces.forEach((trace, k) => legend(pen, colour, trace, area.left + 6, top + 12 + 15 * k));
  });
  drawCursors(pen, area, colour, x);
}

// Many columns as upright bars on whole pixels, each joined to its neighbour: a browser without a graphics processor
// fills bars many times faster than it strokes lines.
function drawBars(pen, ring, from, to, x, y, colour) {
  pen.fillStyle = colour;
  let before = NaN, beforeLow = 0, beforeHigh = 0, left = Math.round(x(from * scope.step));
  for (let column = from; column < to; column++) {
    const place = 2 * (column % ROOM), right = Math.round(x((column + 1) * scope.step));
    let low = ring[place], high = ring[place + 1];
    if (low === low) {
      const ownLow = low, ownHigh = high;
      if (before === column - 1) {
        if (beforeHigh < low) low = beforeHigh;
        if (beforeLow > high) high = beforeLow;
      }
      const top = Math.round(y(high));
      pen.fillRect(left, top, Math.max(1, right - left), Math.max(2, Math.round(y(low)) - top + 1));
      before = column; beforeLow = ownLow; beforeHigh = ownHigh;
    }
    left = right;
  }
}

function drawTrace(pen, ring, from, to, x, y, colour, dash) {
  if (3 * (to - from) > x(to * scope.step) - x(from * scope.step)) return drawBars(pen, ring, from, to, x, y, colour);
  pen.strokeStyle = colour;
  pen.lineWidth = 1.4;
  const single = scope.step === 1;
  pen.setLineDash(to - from < 400 ? dash : []);
  pen.beginPath();
  let down = false;
  for (let column = from; column < to; column++) {
    const place = 2 * (column % ROOM), low = ring[place], high = ring[place + 1];
    if (low !== low) { down = false; continue; }
    const at = x((single ? column : column + 0.5) * scope.step);
    if (down) pen.lineTo(at, y(low)); else pen.moveTo(at, y(low));
    if (high !== low || !down) pen.lineTo(at, y(high) - (down ? 0 : 0.5));
    down = true;
  }
  pen.stroke();
  pen.setLineDash([]);
}

function legend(pen, colour, trace, left, top) {
  pen.strokeStyle = colour.trace[trace % 8];
  pen.lineWidth = 2;
  pen.setLineDash(DASHES[trace % 8]);
  pen.beginPath();
  pen.moveTo(left, top - 4);
  pen.lineTo(left + 24, top - 4);
  pen.stroke();
  pen.setLineDash([]);
  pen.fillStyle = colour.ink;
  pen.textAlign = 'left';
  pen.fillText(`${trace + 1} ${scope.about.channels[trace]}`, left + 30, top);
}

function line(pen, colour, x0, y0, x1, y1) {
  pen.strokeStyle = colour;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}

function origin() {
  const { trigger_tick, state } = scope.about;
  if (trigger_tick !== null && trigger_tick !== undefined && state !== 'live') return trigger_tick;
  return state === 'frozen' ? 0 : scope.window[1];
}

function timeAxis(pen, area, colour, x) {
  const rate = scope.about.rate_hz, [first, last] = scope.window, zero = origin();
  const step = niceStep((last - first) / rate, Math.max(3, (area.right - area.left) / 110));
  const [factor, unit] = scaled(Math.max(Math.abs(first - zero), Math.abs(last - zero)) / rate, 's');
  pen.fillStyle = colour.ink;
  for (let k = Math.ceil((first - zero) / rate / step); k * step <= (last - zero) / rate; k++) {
    const at = x(zero + k * step * rate);
    line(pen, colour.faint, at, area.top, at, area.bottom);
    pen.textAlign = at > area.right - 30 ? 'right' : 'center';
    pen.fillText(`${digits((k * step) / factor, step / factor)} ${unit}`, at, area.bottom + 16);
  }
}

function valueAxis(pen, area, colour, lane, low, high, top, bottom, y) {
  const step = niceStep(high - low, Math.max(2, (bottom - top) / 34));
  const [factor, unit] = scaled(Math.max(Math.abs(low), Math.abs(high)), lane.unit);
  line(pen, colour.faint, area.left, bottom + 3, area.right, bottom + 3);
  pen.fillStyle = colour.ink;
  pen.textAlign = 'right';
  for (let k = Math.ceil(low / step); k * step <= high; k++) {
    line(pen, colour.faint, area.left, y(k * step), area.right, y(k * step));
    pen.fillText(digits((k * step) / factor, step / factor), area.left - 6, y(k * step) + 4);
  }
  pen.save();
  pen.translate(12, (top + bottom) / 2);
  pen.rotate(-Math.PI / 2);
  pen.textAlign = 'center';
  pen.fillText(unit || '1', 0, 0);
  pen.restore();
}

function drawPlane(pen, area, colour) {
  const pairs = scope.pairs, [nx, ny] = scope.about.pair, [ux, uy] = scope.about.pair_units;
  if (!pairs || !pairs.length) return;
  const ends = [Infinity, -Infinity, Infinity, -Infinity];
  for (let k = 0; k < pairs.length; k += 2) {
    ends[0] = Math.min(ends[0], pairs[k]); ends[1] = Math.max(ends[1], pairs[k]);
    ends[2] = Math.min(ends[2], pairs[k + 1]); ends[3] = Math.max(ends[3], pairs[k + 1]);
  }
  const wide = ends[1] - ends[0] || 1, high = ends[3] - ends[2] || 1;
  const x = (v) => area.left + 10 + ((v - ends[0]) / wide) * (area.right - area.left - 20);
  const y = (v) => area.bottom - 10 - ((v - ends[2]) / high) * (area.bottom - area.top - 20);
  valueAxis(pen, area, colour, { unit: uy }, ends[2], ends[3], area.top, area.bottom, y);
  const step = niceStep(wide, 8), [factor, unit] = scaled(Math.max(Math.abs(ends[0]), Math.abs(ends[1])), ux);
  for (let k = Math.ceil(ends[0] / step); k * step <= ends[1]; k++) {
    line(pen, colour.faint, x(k * step), area.top, x(k * step), area.bottom);
    pen.fillStyle = colour.ink;
    pen.textAlign = 'center';
    pen.fillText(`${digits((k * step) / factor, step / factor)} ${unit}`, x(k * step), area.bottom + 16);
  }
  pen.fillText(`${ny} over ${nx}`, (area.left + area.right) / 2, area.top + 14);
  pen.strokeStyle = colour.trace[0];
  pen.lineWidth = 1.2;
  pen.beginPath();
  for (let k = 0; k < pairs.length; k += 2) pen.lineTo(x(pairs[k]), y(pairs[k + 1]));
  pen.stroke();
}

// --- cursors, zoom and pan

function drawCursors(pen, area, colour, x) {
  const zero = scope.about.trigger_tick;
  if (zero !== null && zero !== undefined && scope.about.state !== 'live') {
    pen.setLineDash([2, 2]);
    line(pen, colour.ink, x(zero), area.top, x(zero), area.bottom);
    pen.setLineDash([]);
  }
  if (!scope.cursors || scope.about.state === 'live') return;
  for (const name of ['a', 'b']) {
    const at = x(scope.cursors[name]);
    line(pen, colour.ink, at, area.top, at, area.bottom);
    pen.fillStyle = colour.ink;
    pen.textAlign = 'center';
    pen.fillText(name === scope.held ? `[${name.toUpperCase()}]` : name.toUpperCase(), at, area.top + 10);
  }
}

function tickAt(event) {
  const { left, right } = scope.area, [first, last] = scope.window;
  return first + ((event.offsetX - left) / (right - left)) * (last - first);
}

function moveCursor(tick) {
  scope.cursors[scope.held] = Math.round(Math.min(Math.max(tick, scope.window[0]), scope.window[1]));
  scope.dirty = true;
  clearTimeout(scope.later);
  scope.later = setTimeout(() => send({ cursors: [scope.cursors.a, scope.cursors.b] }), 80);
}

hilctl.cursors = () => {
  const [first, last] = scope.window, third = (last - first) / 3;
  scope.cursors = scope.cursors ? null : { a: Math.round(first + third), b: Math.round(last - third) };
  send({ cursors: scope.cursors ? [scope.cursors.a, scope.cursors.b] : null });
  scope.dirty = true;
};

function zoom(factor, middle) {
  const [first, last] = scope.window;
  look(middle - (middle - first) * factor, middle + (last - middle) * factor);
}

function look(first, last) {
  clearTimeout(scope.looking);
  scope.looking = setTimeout(() => send({ look: [Math.round(first), Math.round(last)] }), 20);
}

function adopt(canvas) {
  scope.canvas = canvas;
  if (!canvas) return;
  scope.dirty = true;
  new ResizeObserver(() => { scope.dirty = true; }).observe(canvas);
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.5 : 1 / 1.5, tickAt(event));
  }, { passive: false });
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    canvas.focus();
    const tick = tickAt(event), near = (scope.window[1] - scope.window[0]) / 50;
    if (scope.cursors && scope.about.state !== 'live') {
      const nearest = Math.abs(tick - scope.cursors.a) <= Math.abs(tick - scope.cursors.b) ? 'a' : 'b';
      if (Math.abs(tick - scope.cursors[nearest]) < near) { scope.held = nearest; scope.drag = 'cursor'; return; }
    }
    scope.drag = { x: event.offsetX, window: [...scope.window] };
  });
  canvas.addEventListener('pointermove', (event) => {
    if (scope.drag === 'cursor') moveCursor(tickAt(event));
    else if (scope.drag && Math.abs(event.offsetX - scope.drag.x) > 3) {
      const [first, last] = scope.drag.window, { left, right } = scope.area;
      const by = ((scope.drag.x - event.offsetX) / (right - left)) * (last - first);
      look(first + by, last + by);
    }
  });
  canvas.addEventListener('pointerup', () => { scope.drag = null; });
  canvas.addEventListener('keydown', (event) => {
    const [first, last] = scope.window, some = (last - first) / (event.shiftKey ? 10 : 100);
    if (event.key === '+') zoom(1 / 1.5, (first + last) / 2);
    else if (event.key === '-') zoom(1.5, (first + last) / 2);
    else if (event.key === 'c' && scope.cursors) { scope.held = scope.held === 'a' ? 'b' : 'a'; scope.dirty = true; }
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      const by = event.key === 'ArrowLeft' ? -some : some;
      if (scope.cursors && scope.about.state !== 'live') moveCursor(scope.cursors[scope.held] + by);
      else look(first + by, last + by);
    } else return;
    event.preventDefault();
  });
}

requestAnimationFrame(paint);
