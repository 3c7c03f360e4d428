// What bench/compare needs of JavaScript:
//   postrider REPORT | peer LINE                   one run in common words
//   table RUNS REPORT PEERS EVENTS PAYLOAD NAME    NAME.md and NAME.json
import { readFileSync, writeFileSync } from 'node:fs';

const [what, ...rest] = process.argv.slice(2);
const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const round = (value, digits = 1) => Number(value.toFixed(digits));

// `cpu` is in µs for one delivery. The driver of a run is left out of it.
function ofPostrider(report) {
  const phase = report.phases[0];
  const cpu = phase.cpu_us_each;
  return {
    perSecond: Math.round(phase.per_second),
    cpu: { sender: round(cpu.node), database: round(cpu.postgresql), receiver: round(cpu.receiver) },
    otherCores: round(phase.other_cores, 2),
    right: report.good,
  };
}

function ofPeer(line) {
  const cpu = line.cpuPer1000;
  return {
    perSecond: line.perS,
    cpu: { sender: round(cpu.worker * 1000), database: round(cpu.db * 1000), receiver: round(cpu.sink * 1000) },
    otherCores: line.otherCores,
    right: line.unique === line.o.n && line.dup === 0 && line.left === 0,
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

function versionOf(folder, name) {
  return read(`${folder}/node_modules/${name}/package.json`).version;
}

function table(runsFile, reportFile, peers, events, payload, name) {
  const report = read(reportFile);
  const groups = new Map();
  for (const line of readFileSync(runsFile, 'utf8').trim().split('\n')) {
    const { label, run } = JSON.parse(line);
    groups.set(label, [...(groups.get(label) ?? []), run]);
  }
  const ours = groups.get('postrider') ?? [];
  const rate = (runs) => median(runs.map((run) => run.perSecond));
  const settings = {
    events: Number(events),
    payload: Number(payload),
    postrider: { version: report.version, commit: report.commit, settings: report.settings, postgresql: report.postgresql },
    peers: {
      'graphile-worker': versionOf(peers, 'graphile-worker'),
      undici: versionOf(peers, 'undici'),
      node: process.version,
    },
  };
  const rows = [...groups].map(([label, runs]) => ({
    label,
    runs,
    perSecond: rate(runs),
    ratio: ours.length ? round(rate(ours) / rate(runs), 2) : null,
    cpuRatio: ours.length ? round(median(runs.map(total)) / median(ours.map(total)), 2) : null,
  }));
  const when = report.ended_at.slice(0, 16).replace('T', ' ');
  const { machine } = report;
  const md = [
    `# Draining a backlog, ${when} UTC`,
    '',
    `${events} deliveries of ${payload} bytes of JSON; ${machine.cores} cores (${machine.model}), ${machine.kernel}.`,
    `Database, sender and receiver share them. Median (min..max) of ${ours.length} run${ours.length === 1 ? '' : 's'}, in turns.`,
    '',
    '| | deliveries/s | CPU µs for one: all | sender | database | receiver | others\' cores | postrider is faster by | with less CPU by | all arrived once |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...rows.map(({ label, runs, ratio, cpuRatio }) => {
      const cpu = (part) => median(runs.map((run) => run.cpu[part])).toFixed(1);
      const us = label === 'postrider';
      return `| ${label} | ${spread(runs.map((run) => run.perSecond))} | ${spread(runs.map(total), 1)} | ${cpu('sender')} | ${cpu('database')} | ${cpu('receiver')} `
        + `| ${spread(runs.map((run) => run.otherCores), 2)} | ${us || ratio === null ? '' : `${ratio} x`} | ${us || cpuRatio === null ? '' : `${cpuRatio} x`} | ${runs.every((run) => run.right) ? 'yes' : 'NO'} |`;
    }),
    '',
    `postrider ${report.version} (${report.commit}): signed, in order for each of ${report.settings.endpoints} endpoints, every attempt on record;`,
    `PostgreSQL ${report.postgresql.server_version}, fsync ${report.postgresql.fsync}, synchronous_commit ${report.postgresql.synchronous_commit}, shared_buffers ${report.postgresql.shared_buffers}.`,
    `graphile-worker ${settings.peers['graphile-worker']} with undici ${settings.peers.undici} on Node ${settings.peers.node}: neither signed nor in order; jobs are deleted when they succeed.`,
    'The reference sketch signs and keeps the order of 1000 keys; it has no retries, no failures and one endpoint.',
    '',
    'How it was measured, and what it can\'t show: [docs/benchmarks.md](../../docs/benchmarks.md).',
    '',
  ].join('\n');
  writeFileSync(`${name}.md`, md);
  writeFileSync(`${name}.json`, `${JSON.stringify({ ended_at: report.ended_at, machine, settings, rows }, null, 2)}\n`);
}

if (what === 'postrider') print(ofPostrider(read(rest[0])));
else if (what === 'peer') print(ofPeer(read(rest[0])));
else table(...rest);
