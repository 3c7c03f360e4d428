// What bench/compare needs of JavaScript:
//   postrider REPORT | peer LINE                     one run in common words
//   deliver|latency RUNS REPORT PEERS EVENTS PAYLOAD NAME
//                                                    NAME.md and NAME.json
import { readFileSync, writeFileSync } from 'node:fs';

const [what, ...rest] = process.argv.slice(2);
const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const round = (value, digits = 1) => Number(value.toFixed(digits));

// `cpu` is in µs for one delivery, `ms` from the producer to the arrival. The
// driver of a run is left out of the CPU.
function ofPostrider(report) {
  const phase = report.phases[0];
  const cpu = phase.cpu_us_each;
  const arrived = phase.latency_us?.arrived;
  return {
    perSecond: Math.round(phase.per_second),
    cpu: { sender: round(cpu.node), database: round(cpu.postgresql), receiver: round(cpu.receiver) },
    ...(arrived && { ms: { p50: arrived.p50 / 1000, p99: arrived.p99 / 1000, max: arrived.max / 1000 } }),
    otherCores: round(phase.other_cores, 2),
    right: report.good,
  };
}

function ofPeer(line) {
  const cpu = line.cpuPer1000;
  return {
    perSecond: line.perS ?? line.o.rate,
    cpu: { sender: round(cpu.worker * 1000), database: round(cpu.db * 1000), receiver: round(cpu.sink * 1000) },
    ...(line.p50ms && { ms: { p50: line.p50ms, p99: line.p99ms, max: line.maxms } }),
    otherCores: line.otherCores,
    right: line.unique === line.o.n && line.dup === 0 && !line.left,
  };
}

function print(run) {
  console.log(JSON.stringify({ ...run, quiet: run.otherCores <= 0.1 }));
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

function spread(values, digits = 0) {
  const low = Math.min(...values).toFixed(digits);
  const high = Math.max(...values).toFixed(digits);
  return `${median(values).toFixed(digits)} (${low}..${high})`;
}

const total = (run) => run.cpu.sender + run.cpu.database + run.cpu.receiver;
const cpuOf = (runs, part) => median(runs.map((run) => run.cpu[part])).toFixed(1);
const ratio = (value) => (Number.isFinite(value) ? `${round(value, 2)} x` : '');

function groupsOf(file) {
  const groups = new Map();
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const { label, run } = JSON.parse(line);
    groups.set(label, [...(groups.get(label) ?? []), run]);
  }
  return groups;
}

// Each table: what it is about, its columns, and a cell for each of them.
const tables = {
  deliver: {
    title: 'Draining a backlog',
    about: (events, payload) => `${events} deliveries of ${payload} bytes of JSON, unless said otherwise`,
    columns: ['deliveries/s', 'postrider is faster by'],
    cells: (runs, ours) => [
      spread(runs.map((run) => run.perSecond)),
      ratio(median(ours.map((run) => run.perSecond)) / median(runs.map((run) => run.perSecond))),
    ],
  },
  latency: {
    title: 'From the producer to the arrival',
    about: (events, payload) => `200 events a second, each of ${payload} bytes and in a transaction of its own, for 20 s`,
    columns: ['p50 ms', 'p99 ms', 'max ms', 'postrider is faster by (p50)', '(p99)'],
    cells: (runs, ours) => {
      const of = (some, key) => some.map((run) => run.ms[key]);
      return [
        ...['p50', 'p99', 'max'].map((key) => spread(of(runs, key), key === 'max' ? 0 : 2)),
        ...['p50', 'p99'].map((key) => ratio(median(of(runs, key)) / median(of(ours, key)))),
      ];
    },
  },
};

function versionsOf(peers) {
  const names = ['graphile-worker', 'pg-boss', 'pg-transactional-outbox', 'bullmq', 'undici'];
  const of = (name) => read(`${peers}/node_modules/${name}/package.json`).version;
  return { ...Object.fromEntries(names.map((name) => [name, of(name)])), node: process.version };
}

function write(kind, runsFile, reportFile, peers, events, payload, name) {
  const report = read(reportFile);
  const groups = groupsOf(runsFile);
  const { title, about, columns, cells } = tables[kind];
  const ours = groups.get('postrider') ?? [];
  const versions = versionsOf(peers);
  const when = report.ended_at.slice(0, 16).replace('T', ' ');
  const { machine, postgresql } = report;
  const head = ['', ...columns, 'CPU µs for one: all', 'sender', 'database', 'receiver', 'with less CPU by', 'others\' cores', 'all arrived once'];
  const md = [
    `# ${title}, ${when} UTC`,
    '',
    `${about(events, payload)}; ${machine.cores} cores (${machine.model}), ${machine.kernel}.`,
    `Database, sender and receiver share them. Median (min..max) of ${ours.length} run${ours.length === 1 ? '' : 's'}, in turns.`,
    '',
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...[...groups].map(([label, runs]) => {
      const less = ratio(median(runs.map(total)) / median(ours.map(total)));
      const row = [
        label, ...cells(runs, ours), spread(runs.map(total), 1),
        ...['sender', 'database', 'receiver'].map((part) => cpuOf(runs, part)),
        less, spread(runs.map((run) => run.otherCores), 2), runs.every((run) => run.right) ? 'yes' : 'NO',
      ];
      return `| ${row.join(' | ')} |`;
    }),
    '',
    `postrider ${report.version} (${report.commit}): signed, in order for each of ${report.settings.endpoints} endpoints, every attempt on record;`,
    `PostgreSQL ${postgresql.server_version}, fsync ${postgresql.fsync}, synchronous_commit ${postgresql.synchronous_commit}, shared_buffers ${postgresql.shared_buffers}; the same for the peers.`,
    `Peers: ${Object.entries(versions).map(([peer, version]) => `${peer} ${version}`).join(', ')};`,
    'neither signed nor in order. The sender of postrider serves its HTTP API too, where that is used.',
    'The reference sketch signs and keeps the order of 1000 keys; it has no retries, no failures and one endpoint.',
    '',
    'How it was measured, and what it can\'t show: [docs/benchmarks.md](../../docs/benchmarks.md).',
    '',
  ].join('\n');
  const settings = {
    events: Number(events),
    payload: Number(payload),
    postrider: { version: report.version, commit: report.commit, settings: report.settings, postgresql },
    peers: versions,
  };
  const rows = [...groups].map(([label, runs]) => ({ label, runs }));
  writeFileSync(`${name}.md`, md);
  writeFileSync(`${name}.json`, `${JSON.stringify({ ended_at: report.ended_at, machine, settings, rows }, null, 2)}\n`);
}

if (what === 'postrider') print(ofPostrider(read(rest[0])));
else if (what === 'peer') print(ofPeer(read(rest[0])));
else write(what, ...rest);
