#!/usr/bin/env node
// Verifies a receipt, a certificate of deletion or a statement of Waybill on a machine without Waybill, and explains
// what it proves and what it does not. One readable file without build or dependencies, because auditors copy and
// read it; Node 20 or later:
//
//   node verify.mjs FILE [--key VERIFIER-KEY]... [--witness VERIFIER-KEY]... [--policy POLICY-FILE]
//
// FILE is the JSON, the PDF that has it inside, or COSE. Exit code 0: nothing was changed, and the policy is met; 1:
// something was changed, or too few witnesses have signed; 2: it cannot be checked, because a key or the file is missing
// or the words were not understood.
// Formats: c2sp.org/signed-note, c2sp.org/tlog-checkpoint, c2sp.org/tlog-proof, c2sp.org/tlog-cosignature,
// c2sp.org/tlog-policy, RFC 6962, RFC 9052, RFC 9942.
import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { inflateSync } from 'node:zlib';

/** Something does not fit; the sentence is for people. */
class Fault extends Error {}

/** The file is unchanged, but the policy asks for more. */
class Unmet extends Fault {}

/** Nothing can be said about the file as long as this is so. */
class Obstacle extends Error {}

/**
 * Checks the bytes of a file. Returns `{ ok, isChecked, meetsPolicy, fault, proves, doesNotProve }`; `fault` names the first thing that
 * does not fit, or, with `isChecked` false, what is in the way of checking; `meetsPolicy` is false if only witnesses lack.
 */
export function check(bytes, { keys = [], witnesses = [], policy: policyText } = {}) {
  const findings = { proves: [], doesNotProve: [] };
  try {
    const policy = policyText === undefined ? null : readPolicy(policyText);
    const isPdf = bytes.subarray(0, 5).toString('latin1') === '%PDF-';
    const pdf = isPdf ? openPdf(bytes) : null;
    const cose = bytes[0] === sign1Tag ? openCose(bytes) : null;
    const document = readDocument(pdf?.embedded ?? cose?.payload ?? bytes);
    const trusted = trustedKeys(document, [...keys.map(givenKey), ...(policy?.logs ?? [])], findings);
    const { id } = document.statement ?? document.receipt ?? {};
    if (pdf !== null) checkPdf(pdf, { trusted, id, findings });
    const known = [...(policy?.witnesses.values() ?? []), ...witnesses.map(givenKey)];
    if (document.statement !== undefined) checkStatement(document, trusted, findings);
    else checkReceipt(document, trusted, { witnesses: known, policy }, findings);
    if (cose !== null) checkCose(cose, document, trusted, findings);
    const { proves, doesNotProve } = findings;
    return {
      ok: true,
      isChecked: true,
      meetsPolicy: true,
      fault: null,
      proves: proves.map(plain),
      doesNotProve: doesNotProve.map(plain),
    };
  } catch (error) {
    const isKnown = error instanceof Fault || error instanceof Obstacle;
    const fault = isKnown ? error.message : `the file cannot be read (${error.message})`;
    const kind = { isChecked: !(error instanceof Obstacle), meetsPolicy: !(error instanceof Unmet) };
    return { ok: false, ...kind, fault: plain(fault), proves: [], doesNotProve: [] };
  }
}

/** One line without terminal controls: the names come from an untrusted signer. */
function plain(sentence) {
  return sentence
    .toWellFormed()
    .replace(
      /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]/g,
      '\ufffd',
    );
}

function demand(condition, sentence) {
  if (!condition) throw new Fault(sentence);
}

// --- the document ---

/** The text must be exactly what writing the value again gives: no other spaces, order or escapes. */
function readDocument(bytes) {
  const text = bytes.toString('utf8');
  demand(Buffer.from(text, 'utf8').equals(bytes), 'the file is not UTF-8 text: a byte of it was changed');
  let document;
  try {
    document = JSON.parse(text);
  } catch {
    throw new Fault('the file is not JSON any more: a byte of it was changed');
  }
  demand(
    JSON.stringify(document) === text,
    'the file was written again by another program, or a byte of it was changed',
  );
  demand(typeof document.note === 'string', 'the file has no signature');
  return document;
}

function trustedKeys(document, given, findings) {
  if (given.length > 0) {
    findings.proves.push('The signing key is one that you gave.');
    return given;
  }
  if (document.statement !== undefined)
    throw new Obstacle('a statement does not bring its key: give it with --key (GET /evidence/keys has it)');
  demand(Array.isArray(document.keys), 'the keys are missing from the receipt');
  findings.doesNotProve.push(
    'Whose key this is: it came with the file. Get the key of the log from the organisation in another way and give it with --key.',
  );
  return document.keys.map(parseKey);
}

function checkStatement(document, trusted, findings) {
  const { statement, note } = document;
  demand(statement !== null && typeof statement === 'object', 'the statement is missing');
  const signer = checkNote(note, trusted, { label: 'statement', id: statement.id, text: JSON.stringify(statement) });
  demand(JSON.stringify(Object.keys(document)) === '["statement","note"]', 'something was added to the statement');
  findings.proves.push(
    `${signer.name} signed this statement (${statement.kind}, ${statement.made_at}), and nothing of it was changed since.`,
  );
  findings.doesNotProve.push(
    'That what it says is complete: it says what the service had recorded. The log of evidence has an event "statement.made" with its SHA-256.',
  );
}

function checkReceipt(document, trusted, { witnesses, policy }, findings) {
  const { receipt, events, keys, note } = document;
  demand(
    JSON.stringify(Object.keys(document)) === '["receipt","events","keys","note"]',
    'parts of the receipt are missing, or something was added',
  );
  const text = JSON.stringify({ receipt, events, keys });
  const signer = checkNote(note, trusted, { label: 'receipt', id: receipt.id, text });
  findings.proves.push(
    `${signer.name} signed this receipt at ${receipt.made_at}, and nothing of it was changed since.`,
  );
  const opened = new Map();
  const seen = { size: 0, witnesses: new Set(), unchecked: new Set(), checkpoints: new Map() };
  for (const event of events) opened.set(event.seq, checkEvent(event, { trusted, witnesses, seen }));
  if (opened.size > 0)
    findings.proves.push(
      `${opened.size} events are entries of its log, which had ${seen.size} entries; none of them can be taken out or changed without the log showing it.`,
    );
  seen.isShort = mayLackEvents(receipt, opened);
  checkCheckpoints(receipt, opened, seen);
  if (policy !== null) checkPolicy(policy, seen, findings);
  describeFacts(receipt, opened, findings, seen);
  describeLimits(receipt, seen, findings);
}

/** The list of checkpoints in the receipt is that of the proofs. */
function checkCheckpoints(receipt, opened, seen) {
  const sizes = receipt.checkpoints.map(({ size }) => size);
  demand(
    JSON.stringify(sizes) === JSON.stringify([...seen.checkpoints.keys()].sort((one, other) => one - other)),
    'the checkpoints listed are not those of the proofs',
  );
  for (const { size, witnesses } of receipt.checkpoints)
    demand(
      JSON.stringify(witnesses) === JSON.stringify(seen.checkpoints.get(size).lines),
      `the witnesses of the checkpoint of ${size} entries are not those that signed it`,
    );
  for (const [seq, { size }] of opened) {
    const first = receipt.checkpoints.find(({ last_event }) => last_event >= seq);
    demand(first?.size === size, `the event ${seq} is not in the checkpoint that the receipt names`);
  }
}

/** `sealed at …, cosigned by …` for an event, from the checkpoint of its proof. */
function sealOf(event, receipt, seen) {
  const { sealed_at: at, size } = receipt.checkpoints.find((each) => each.size === event.size);
  const { lines, checked } = seen.checkpoints.get(size);
  const by = lines.filter(({ name }) => checked.has(name)).map(({ name, at: signed }) => `${name} at ${signed}`);
  const cosigned = by.length === 0 ? 'cosigned by no witness whose key you gave' : `cosigned by ${by.join(', ')}`;
  return `sealed at ${at} in the checkpoint of ${size} entries, ${cosigned}`;
}

// --- what the receipt says, held against the events ---

function describeFacts(receipt, opened, findings, seen) {
  const said = [];
  const eventOf = (seq, action, what) => {
    const event = opened.get(seq);
    if (event === undefined) {
      demand(seq === null || receipt.pending_events.includes(seq), `the event ${seq} (${what}) is missing`);
      said.push(what);
      return null;
    }
    demand(action.includes(event.action), `the event ${seq} is not about ${what}`);
    return event;
  };
  const same = (event, field, value, what) => {
    const known = event[field];
    demand(known === undefined || known === value, `${what} is not what the log says`);
  };
  // Readers other than the owner get the reference of a transfer. Events from before references do not have it.
  const sameTransfer = (event, name, what) => {
    same(event, 'object', name, what);
    if (receipt.made_for !== 'owner') same(event, 'facts.reference', name, what);
    if (event.object === undefined && event['facts.reference'] === undefined) said.push(what);
  };
  const creation = ['message.sent', 'request.answered', 'filedrop.delivered', 'link.created', 'request.created'];
  if (receipt.kind !== 'deletion') {
    const created = eventOf(receipt.created_event, creation, 'when it was made');
    if (created !== null) {
      sameTransfer(created, receipt.id, 'what was made');
      demand(iso(created.at) === receipt.created_at, 'the time at which it was made is not what the log says');
    }
  }
  for (const file of receipt.files) {
    const label = file.name ?? file.id;
    const uploaded = eventOf(file.uploaded_event, ['attachment.uploaded'], `the upload of ${label}`);
    if (uploaded !== null) checkUpload(uploaded, file, { opened, same });
    if (file.deleted_at === null) continue;
    const deleted = eventOf(file.deleted_event, ['attachment.erased'], `the deletion of ${label}`);
    if (deleted === null) continue;
    same(deleted, 'object', file.id, `which file was deleted (${label})`);
    demand(iso(deleted.at) === file.deleted_at, `the time of the deletion of ${label} is not what the log says`);
    const key = deleted['facts.key'];
    demand((key ?? null) === file.deleted_key, `the commitment to the key of ${label} is not what the log says`);
    findings.proves.push(
      `The service recorded at ${file.deleted_at} that it destroyed the key of ${label}${key ? ` (commitment ${key})` : ''}; ${sealOf(deleted, receipt, seen)}.`,
    );
  }
  checkDownloads(receipt, opened, { eventOf, same, sameTransfer, findings });
  for (const answer of receipt.answers) {
    const event = eventOf(answer.event, ['request.answered'], `what ${answer.from} handed in`);
    if (event === null) continue;
    sameTransfer(event, answer.id, `what ${answer.from} handed in`);
    same(event, 'facts.size', answer.size, `the size of what ${answer.from} handed in`);
    demand(iso(event.at) === answer.at, `the time at which ${answer.from} handed in files is not what the log says`);
  }
  if (said.length > 0)
    findings.doesNotProve.push(
      `By the log (only the signature says it): ${[...new Set(said)].slice(0, 10).join(', ')}.`,
    );
}

function checkUpload(uploaded, file, { opened, same }) {
  const label = file.name ?? file.id;
  same(uploaded, 'object', file.id, `which file was uploaded (${label})`);
  same(uploaded, 'facts.size', file.size, `the size of ${label}`);
  const processed = [...opened.values()].find((e) => e.action === 'attachment.processed' && e.object === file.id);
  const source = uploaded['facts.sha256'] === '' ? processed : uploaded;
  if (source !== undefined) same(source, 'facts.sha256', file.sha256, `the SHA-256 of ${label}`);
}

/** Rows are written slightly before the events that tell of them. */
const toleranceMs = 60_000;
/** Events in a receipt; further ones may be left out. */
const mostEvents = 5000;

function mayLackEvents(receipt, opened) {
  return opened.size + receipt.pending_events.length >= mostEvents;
}

function checkDownloads(receipt, opened, { eventOf, same, sameTransfer, findings }) {
  let bytes = 0;
  let proven = 0;
  const isShort = mayLackEvents(receipt, opened);
  const told = new Set();
  for (const download of receipt.downloads) {
    const what = `the download at ${download.at}`;
    demand(download.event !== null || isShort, `${what} has no event`);
    const begun = eventOf(download.event, ['file.downloaded'], what);
    if (begun !== null) {
      told.add(download.event);
      sameTransfer(begun, receipt.id, `what was downloaded at ${download.at}`);
      same(begun, 'facts.attachment', download.file, `which file was downloaded at ${download.at}`);
      same(begun, 'facts.recipient', download.to, `who downloaded at ${download.at}`);
      same(begun, 'ip', download.ip, `the network address of ${what}`);
      demand(iso(begun.at) === download.at, `the time of ${what} is not what the log says`);
      checkEnds(download, endsOf(begun, opened), { receipt, isShort, same, what });
    }
    const isRunning = download.ended_at === null;
    demand(
      download.bytes_event !== null ||
        download.bytes === 0 ||
        isRunning ||
        isShort ||
        receipt.pending_events.length > 0,
      `no event says how many bytes left (${what})`,
    );
    const ended = eventOf(download.bytes_event, ['download.ended'], `the bytes of ${what}`);
    if (ended === null) continue;
    sameTransfer(ended, receipt.id, `what was downloaded at ${download.at}`);
    same(ended, 'facts.attachment', download.file, `which file was downloaded at ${download.at}`);
    same(ended, 'facts.bytes', download.bytes, `how many bytes left (${what})`);
    bytes += download.bytes;
    proven += 1;
  }
  checkUntold(receipt, opened, told);
  if (proven > 0)
    findings.proves.push(`${proven} downloads with ${bytes} bytes together happened as the receipt says.`);
  if (receipt.downloads.length > 0 && receipt.more_downloads === 0 && !isShort)
    findings.proves.push('Each listed download has its events, and each event of a download in this file is listed.');
}

/** The events with which requests of this download and file ended. */
function endsOf(begun, opened) {
  return [...opened.values()].filter(
    (event) =>
      event.action === 'download.ended' &&
      event.owner === begun.owner &&
      event['facts.download'] === begun['facts.download'],
  );
}

function checkEnds(download, ends, { receipt, isShort, same, what }) {
  for (const end of ends)
    demand(end['facts.bytes'] <= download.bytes, `how many bytes left (${what}) is less than the log says`);
  if (download.ended_at !== null && ends.length > 0) {
    const ended = Date.parse(download.ended_at);
    const isWithin =
      ended >= Date.parse(download.at) - toleranceMs && ended <= Math.max(...ends.map(({ at }) => at)) + toleranceMs;
    demand(isWithin, `the end of ${what} is not what the log says`);
  }
  const requests = download.requests ?? [];
  for (const request of requests) {
    const name = `request ${request.request} of ${what}`;
    const end = ends.find((each) => each['facts.request'] === request.request);
    if (end === undefined) {
      const needsNone =
        request.ended_at === null || request.bytes === 0 || isShort || receipt.pending_events.length > 0;
      demand(needsNone, `${name} has no event`);
      continue;
    }
    for (const [field, shown] of Object.entries({
      'facts.from': request.from,
      'facts.to': request.to,
      'facts.taken': request.taken,
      'facts.api_key': request.api_key,
      'facts.proof_kind': request.proof_kind,
      'facts.proof_id': request.proof_id,
      ip: request.ip,
    }))
      same(end, field, shown, `${field.replace('facts.', '')} of ${name}`);
    const isNear = request.ended_at === null || Math.abs(Date.parse(request.ended_at) - end.at) <= toleranceMs;
    demand(isNear, `the end of ${name} is not what the log says`);
  }
  if (download.requests === undefined || download.more_requests > 0) return;
  const listed = new Set(requests.map(({ request }) => request));
  const missing = ends.find((end) => end['facts.request'] !== undefined && !listed.has(end['facts.request']));
  demand(missing === undefined, `request ${missing?.['facts.request']} of ${what} is in the log and not listed`);
}

/** A download that the log has and the receipt does not; one of which nothing left does not count. */
function checkUntold(receipt, opened, told) {
  if (receipt.more_downloads > 0) return;
  for (const [seq, event] of opened) {
    if (event.action !== 'file.downloaded' || told.has(seq)) continue;
    const ends = endsOf(event, opened);
    const isRefunded = ends.length > 0 && ends.every((end) => end['facts.bytes'] === 0);
    demand(isRefunded, `the download at ${iso(event.at)} is in the log and not listed`);
  }
}

function describeLimits(receipt, seen, findings) {
  const { doesNotProve, proves } = findings;
  if (receipt.pending_events.length > 0)
    doesNotProve.push(
      `${receipt.pending_events.length} events are not in a signed checkpoint yet. Get the receipt again in a minute.`,
    );
  if (receipt.more_downloads > 0) doesNotProve.push('Downloads beyond the first 1,000: they are not in the receipt.');
  if (seen.isShort) doesNotProve.push('Events beyond the first 5,000: they are not in the receipt.');
  if (receipt.downloads.some((download) => download.ended_at === null))
    doesNotProve.push('How many bytes a running download will have at its end: its bytes are those so far.');
  if (seen.witnesses.size > 0) proves.push(`A witness has seen the same log: ${[...seen.witnesses].join(', ')}.`);
  else
    doesNotProve.push(
      seen.unchecked.size > 0
        ? `That others were shown the same log: give the key of ${[...seen.unchecked].join(', ')} with --witness.`
        : 'That others were shown the same log: no witness has signed it.',
    );
  doesNotProve.push(
    'Who uses an address, that downloaded files were read, and that nothing was downloaded outside of this service.',
    'Names of people and files, and the list of recipients, by the log: only the signature says them.',
  );
  const deleted = receipt.files.filter((file) => file.deleted_at !== null);
  if (deleted.length === 0) return;
  const ends = deleted.map((file) => file.backups_until).filter((at) => at !== null);
  doesNotProve.push(
    'That no copy of the key of a deleted file was made before, or that a copy of the file exists nowhere, such as with people who downloaded it.',
    ends.length === 0
      ? 'That backups have no copy of the key: when they end is not known.'
      : `That backups have no copy of the key: those of the service end by ${ends.sort().at(-1)} if one is made every day; others are not known.`,
  );
}

// --- one event of the log ---

function checkEvent({ seq, entry, fields, proof }, { trusted, witnesses, seen }) {
  const where = `the event ${seq}`;
  const end = proof.indexOf('\n\n');
  const [header, ...lines] = proof.slice(0, Math.max(end, 0)).split('\n');
  demand(header === 'c2sp.org/tlog-proof@v1', `${where} has no proof`);
  if (lines[0]?.startsWith('extra ')) lines.shift();
  const index = /^index (0|[1-9]\d*)$/.exec(lines.shift() ?? '')?.[1];
  demand(index !== undefined, `the proof of ${where} was changed`);
  const hashes = lines.map((line) => decode(line, `the proof of ${where} was changed`));
  const { size, root, lines: signed, checked } = checkCheckpoint(proof.slice(end + 2), { trusted, witnesses, seen });
  seen.checkpoints.set(size, { lines: signed, checked });
  const leaf = sha256(Buffer.concat([Buffer.of(0), Buffer.from(entry, 'utf8')]));
  const computed = climb(leaf, Number(index), size, hashes);
  demand(computed?.equals(root) && hashes.length === 0, `${where} is not in the log that was signed`);
  seen.size = Math.max(seen.size, size);
  return { ...openEntry(JSON.parse(entry), fields, { seq, where }), size };
}

function openEntry(entry, fields, { seq, where }) {
  demand(entry.seq === seq, `${where} has the proof of another event`);
  const opened = { action: entry.action, at: entry.at };
  for (const [name, value] of Object.entries(entry.facts)) opened[`facts.${name}`] = value;
  for (const { field, value, salt } of fields) {
    const bytes = decode(salt, `a salt of ${where} was changed`);
    const hash = sha256(Buffer.concat([bytes, Buffer.from(canonical(value))])).toString('base64');
    demand(entry.personal[field] === hash, `"${field}" of ${where} was changed`);
    opened[field] = value;
  }
  return opened;
}

/** The root that follows from a leaf and its proof (RFC 6962); takes hashes from the end of the list. */
function climb(leaf, index, size, hashes) {
  if (!(index >= 0 && index < size)) return null;
  if (size === 1) return leaf;
  const sibling = hashes.pop();
  if (sibling === undefined) return null;
  let split = 1;
  while (split * 2 < size) split *= 2;
  const isLeft = index < split;
  const inner = isLeft ? climb(leaf, index, split, hashes) : climb(leaf, index - split, size - split, hashes);
  if (inner === null) return null;
  return sha256(Buffer.concat([Buffer.of(1), isLeft ? inner : sibling, isLeft ? sibling : inner]));
}

function checkCheckpoint(note, { trusted, witnesses, seen }) {
  const { text, signatures } = parseNote(note);
  const signer = signedBy(text, signatures, trusted);
  demand(signer !== null, 'a checkpoint of the log is not signed by its key');
  const [origin, size, root] = text.split('\n');
  demand(origin === signer.name, 'a checkpoint is one of another log');
  demand(/^(0|[1-9]\d*)$/.test(size ?? ''), 'a checkpoint was changed');
  const lines = [];
  const checked = new Set();
  for (const line of signatures) {
    if (trusted.some((key) => key.name === line.name && key.id === line.id)) continue;
    const isCosigned = line.signature.length === 72 || line.signature.length === 2428;
    demand(isCosigned, `the signature of the witness ${line.name} was changed`);
    lines.push({ name: line.name, at: iso(Number(line.signature.readBigUInt64BE(0)) * 1000) });
    const witness = witnesses.find((key) => key.name === line.name && key.id === line.id);
    if (witness === undefined) seen.unchecked.add(line.name);
    else {
      demand(isCosignature(text, line, witness), `the signature of the witness ${line.name} was changed`);
      seen.witnesses.add(line.name);
      checked.add(line.name);
      checked.add(witness);
    }
  }
  return { size: Number(size), root: decode(root ?? '', 'a checkpoint was changed'), lines, checked };
}

function isCosignature(text, { signature }, { name, key, type }) {
  if (type === 1 || signature.length !== (type === 6 ? 2428 : 72)) return false;
  const time = signature.subarray(0, 8);
  const signed =
    type === 6
      ? cosignedTree(text, name, time)
      : Buffer.from(`cosignature/v1\ntime ${time.readBigUInt64BE(0)}\n${text}`);
  return verifySignature(null, signed, key, signature.subarray(8));
}

/** What an ML-DSA-44 witness signs. */
function cosignedTree(text, name, time) {
  const [origin, size, root] = text.split('\n');
  const withLength = (word) => Buffer.concat([Buffer.of(Buffer.byteLength(word)), Buffer.from(word)]);
  const numbers = Buffer.alloc(16);
  numbers.writeBigUInt64BE(BigInt(size), 8);
  const label = Buffer.from('subtree/v1\n\0');
  return Buffer.concat([label, withLength(name), time, withLength(origin), numbers, Buffer.from(root, 'base64')]);
}

// --- the policy ---

function readPolicy(text) {
  const policy = { logs: [], witnesses: new Map(), groups: new Map(), quorum: null, used: new Set() };
  const readers = { log: readLog, witness: readWitness, group: readGroup, quorum: readQuorum };
  for (const [at, line] of text.split('\n').entries()) {
    const [word, ...rest] = line.split(/[ \t]+/).filter((each) => each !== '');
    const isPlain = !/[\u0000-\u0008\u000b-\u001f\u007f]/.test(line);
    if (isPlain && (word === undefined || word.startsWith('#'))) continue;
    if (!isPlain || !Object.hasOwn(readers, word) || !readers[word](policy, rest))
      throw new Obstacle(`line ${at + 1} of the policy is not understood`);
  }
  if (policy.quorum === null) throw new Obstacle('the policy has no line "quorum"');
  return policy;
}

const isListed = (keys, given) => [...keys].some(({ key }) => key.equals(given.key));
const isKnown = ({ witnesses, groups }, name) => witnesses.has(name) || groups.has(name);
const isFree = (policy, name) => name !== undefined && name !== 'none' && !isKnown(policy, name);

function readLog({ logs }, [text, , ...more]) {
  const given = text === undefined || more.length > 0 ? null : givenKey(text);
  if (given?.type !== 1 || isListed(logs, given)) return false;
  logs.push(given);
  return true;
}

function readWitness(policy, [name, text, , ...more]) {
  const given = text === undefined || more.length > 0 || !isFree(policy, name) ? null : givenKey(text);
  if (given === null || given.type === 1 || isListed(policy.witnesses.values(), given)) return false;
  policy.witnesses.set(name, given);
  return true;
}

/** Each name is a member once, so that a witness counts once. */
function readGroup(policy, [name, count, ...members]) {
  const k = count === 'all' ? members.length : count === 'any' ? 1 : /^\d+$/.test(count ?? '') ? Number(count) : 0;
  if (!isFree(policy, name) || k < 1 || k > members.length) return false;
  for (const member of members) {
    if (!isKnown(policy, member) || policy.used.has(member)) return false;
    policy.used.add(member);
  }
  policy.groups.set(name, { k, members });
  return true;
}

function readQuorum(policy, [name, ...more]) {
  if (policy.quorum !== null || more.length > 0 || !(name === 'none' || isKnown(policy, name))) return false;
  policy.quorum = name;
  return true;
}

/** The same rule for every checkpoint of the proofs. */
function checkPolicy({ witnesses, groups, quorum }, seen, findings) {
  for (const [size, { checked }] of seen.checkpoints) {
    const isMet = (name) => {
      const group = groups.get(name);
      if (group === undefined) return checked.has(witnesses.get(name));
      return group.members.filter(isMet).length >= group.k;
    };
    if (quorum !== 'none' && !isMet(quorum))
      throw new Unmet(`too few witnesses of the policy have signed the checkpoint of ${size} entries`);
  }
  findings.proves.push('Enough witnesses of the policy have signed every checkpoint.');
}

// --- COSE ---

const sign1Tag = 0xd2;
const [algorithm, contentType, keyName, receiptList, dataStructure, proofs] = [1, 3, 4, 394, 395, 396];

/** One CBOR value; only the shortest form of each number is accepted. */
function readValue(bytes) {
  const damaged = 'the COSE message was changed';
  let at = 0;
  const take = (count) => {
    demand(at + count <= bytes.length, damaged);
    at += count;
    return bytes.subarray(at - count, at);
  };
  const read = () => {
    const [first] = take(1);
    if (first === 0xf6) return null;
    const short = first & 31;
    demand(short < 28, damaged);
    const size = short < 24 ? 0 : 2 ** (short - 24);
    const value = size === 0 ? short : Number(BigInt(`0x${take(size).toString('hex')}`));
    demand(size === 0 || value >= (size === 1 ? 24 : 256 ** (size / 2)), damaged);
    const major = first >> 5;
    if (major === 0) return value;
    if (major === 1) return -1 - value;
    if (major === 2) return take(value);
    if (major === 3) return take(value).toString('utf8');
    demand((major === 4 || major === 5) && value <= bytes.length, damaged);
    if (major === 4) return Array.from({ length: value }, read);
    return new Map(Array.from({ length: value }, () => [read(), read()]));
  };
  const value = read();
  demand(at === bytes.length, damaged);
  return value;
}

function openCose(bytes) {
  const message = readValue(bytes.subarray(1));
  const [signedHeaders, headers, payload, signature] = Array.isArray(message) ? message : [];
  const areBytes = Buffer.isBuffer(signedHeaders) && Buffer.isBuffer(signature) && signature.length === 64;
  const isWhole = areBytes && message.length === 4 && headers instanceof Map;
  demand(isWhole && (payload === null || Buffer.isBuffer(payload)), 'the COSE message was changed');
  return { signedHeaders, headers, payload, signature };
}

/** EdDSA by a key of the log, which its header names, and exactly the further headers. */
function checkSign1({ signedHeaders, signature }, payload, trusted, further) {
  const headers = readValue(signedHeaders);
  const key = trusted.find((each) => each.type === 1 && headers.get?.(keyName)?.equals?.(Buffer.from(each.text)));
  demand(key !== undefined, 'the COSE message is signed by no key that is trusted here');
  const isExpected = [...further].every(([label, value]) => headers.get(label) === value);
  demand(headers.get(algorithm) === -8 && isExpected && headers.size === 2 + further.size, 'a COSE header was changed');
  const parts = [
    Buffer.from('846a5369676e617475726531', 'hex'),
    ...[signedHeaders, Buffer.alloc(0), payload].map(asBytes),
  ];
  demand(verifySignature(null, Buffer.concat(parts), key.key, signature), 'the COSE message was changed');
}

/** As a CBOR byte string. */
function asBytes(bytes) {
  const { length } = bytes;
  if (length < 24) return Buffer.concat([Buffer.of(0x40 | length), bytes]);
  const size = length < 256 ? 1 : length < 65_536 ? 2 : 4;
  const head = Buffer.alloc(1 + size);
  head[0] = 0x58 + Math.log2(size);
  head.writeUIntBE(length, 1, size);
  return Buffer.concat([head, bytes]);
}

function checkCose(cose, document, trusted, findings) {
  const { payload, headers } = cose;
  checkSign1(cose, payload, trusted, new Map([[contentType, 'application/json']]));
  const receipts = headers.get(receiptList) ?? [];
  demand(
    headers.size === (receipts.length === 0 ? 0 : 1) && receipts.length === (document.events ?? []).length,
    'the receipts of the COSE message are not those of its events',
  );
  for (const [place, bytes] of receipts.entries()) {
    const { seq, entry } = document.events[place];
    const where = `the COSE receipt of the event ${seq}`;
    demand(Buffer.isBuffer(bytes) && bytes[0] === sign1Tag, `${where} was changed`);
    const receipt = openCose(bytes);
    const list = receipt.headers.get(proofs)?.get?.(-1);
    demand(receipt.payload === null && receipt.headers.size === 1 && list?.length === 1, `${where} was changed`);
    const [size, index, path] = readValue(list[0]);
    const leaf = sha256(Buffer.concat([Buffer.of(0), Buffer.from(entry, 'utf8')]));
    const hashes = [...path];
    const root = climb(leaf, index, size, hashes);
    demand(root !== null && hashes.length === 0, `${where} was changed`);
    checkSign1(receipt, root, trusted, new Map([[dataStructure, 1]]));
  }
  findings.proves.push(`The COSE message and its ${receipts.length} receipts (RFC 9942) are signed by the log.`);
}

// --- notes and keys ---

/** The key that signed `waybill <label>`, the id, and the SHA-256 of the text. */
function checkNote(note, trusted, { label, id, text }) {
  const { text: signed, signatures } = parseNote(note);
  const signer = signedBy(signed, signatures, trusted);
  demand(signer !== null, `the signature of this ${label} is by no key that is trusted here`);
  const digest = sha256(text).toString('base64');
  demand(signed === `waybill ${label}\n${id}\n${digest}\n`, `the ${label} was changed after it was signed`);
  demand(signatures.length === 1, 'a signature was added');
  return signer;
}

function parseNote(note) {
  const split = note.lastIndexOf('\n\n');
  demand(split > 0 && note.endsWith('\n'), 'a signature was changed');
  const signatures = note
    .slice(split + 2, -1)
    .split('\n')
    .map((line) => {
      const [, name, encoded] = /^— ([^\s+]+) (\S+)$/u.exec(line) ?? [];
      demand(encoded !== undefined, 'a signature was changed');
      const bytes = decode(encoded, 'a signature was changed');
      return { name, id: bytes.toString('hex', 0, 4), signature: bytes.subarray(4) };
    });
  return { text: note.slice(0, split + 1), signatures };
}

function signedBy(text, signatures, trusted) {
  for (const line of signatures) {
    const key = trusted.find(({ name, id, type }) => type === 1 && name === line.name && id === line.id);
    if (key === undefined) continue;
    demand(verifySignature(null, Buffer.from(text), key.key, line.signature), `the signature of ${line.name} is wrong`);
    return key;
  }
  return null;
}

/** A key from the command line: a mistake in it says nothing about the file. */
function givenKey(text) {
  try {
    return parseKey(text);
  } catch (error) {
    if (error instanceof Obstacle) throw error;
    throw new Obstacle(`"${text}" is not a verifier key; copy the whole of it, from its name to the last letter`);
  }
}

function parseKey(text) {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/u.exec(text) ?? [];
  const bytes = encoded === undefined ? Buffer.alloc(0) : decode(encoded, 'a verifier key was changed');
  const isMlDsa = bytes[0] === 6;
  demand([1, 4, 6].includes(bytes[0]) && bytes.length === (isMlDsa ? 1313 : 33), 'a verifier key was changed');
  const raw = bytes.subarray(1);
  const expected = sha256(Buffer.concat([Buffer.from(`${name}\n`), bytes])).toString('hex', 0, 4);
  demand(expected === id, 'a verifier key does not fit its id');
  const prefix = isMlDsa ? '30820532300b06096086480165030403110382052100' : '302a300506032b6570032100';
  const der = Buffer.concat([Buffer.from(prefix, 'hex'), raw]);
  return { name, id, type: bytes[0], text, key: importKey(der) };
}

function importKey(der) {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    throw new Obstacle('a key with ML-DSA-44 needs Node 24.7 or later');
  }
}

/** Strict Base64: another spelling of the same bytes is a change too. */
function decode(text, sentence) {
  const bytes = Buffer.from(text, 'base64');
  demand(text !== '' && bytes.toString('base64') === text, sentence);
  return bytes;
}

// --- the PDF ---

const marker = Buffer.from('\n%waybill-note ');

/** The signed bytes, the note behind them, and the JSON inside. */
function openPdf(bytes) {
  const at = bytes.lastIndexOf(marker);
  demand(at > 0, 'the PDF has no signature: it was written again by another program, or changed');
  const body = bytes.subarray(0, at);
  const tail = bytes.subarray(at + marker.length).toString('latin1');
  const [, encoded, offset] = /^([A-Za-z0-9+/=]+)\nstartxref\n(\d+)\n%%EOF\n$/.exec(tail) ?? [];
  demand(encoded !== undefined, 'the end of the PDF was changed');
  demand(body.toString('latin1').endsWith(`startxref\n${offset}\n%%EOF\n`), 'the end of the PDF was changed');
  const note = decode(encoded, 'the signature of the PDF was changed').toString('utf8');
  return { body, note, embedded: embeddedFile(body) };
}

function embeddedFile(body) {
  const at = body.indexOf('/Type /EmbeddedFile');
  demand(at > 0, 'the PDF has no receipt inside');
  const start = body.indexOf('stream\n', at);
  const dictionary = body.subarray(at, start).toString('latin1');
  const length = Number(/\/Length (\d+)/.exec(dictionary)?.[1] ?? Number.NaN);
  demand(start > 0 && Number.isInteger(length), 'the file inside the PDF was changed');
  const stream = body.subarray(start + 7, start + 7 + length);
  try {
    return dictionary.includes('/FlateDecode') ? inflateSync(stream) : Buffer.from(stream);
  } catch {
    throw new Fault('the file inside the PDF was changed');
  }
}

function checkPdf({ body, note }, { trusted, id, findings }) {
  const { text, signatures } = parseNote(note);
  demand(
    signatures.length === 1 && signedBy(text, signatures, trusted) !== null,
    'the PDF is signed by no key that is trusted here',
  );
  demand(
    text === `waybill file\n${id}\n${sha256(body).toString('base64')}\n`,
    'the pages of the PDF were changed after they were signed',
  );
  findings.proves.push(
    'The pages of the PDF are as they were signed, and the data inside them is what is checked here.',
  );
}

// --- small things ---

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest();
}

/** RFC 8785 for the JSON values that Waybill writes. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort((one, other) => (one < other ? -1 : 1));
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}

const iso = (instant) => new Date(instant).toISOString();

// --- the command ---

function main(args) {
  const options = { keys: [], witnesses: [] };
  let policyPath = null;
  let path = null;
  for (let at = 0; at < args.length; at++) {
    if (args[at] === '--key' && args[at + 1] !== undefined) options.keys.push(args[++at]);
    else if (args[at] === '--witness' && args[at + 1] !== undefined) options.witnesses.push(args[++at]);
    else if (args[at] === '--policy' && args[at + 1] !== undefined) policyPath = args[++at];
    else if (path === null && !args[at].startsWith('--')) path = args[at];
    else path = '';
  }
  if (path === null || path === '') {
    console.error(
      'usage: node verify.mjs FILE [--key VERIFIER-KEY]... [--witness VERIFIER-KEY]... [--policy POLICY-FILE]',
    );
    return 2;
  }
  const bytes = readBytes(path);
  if (bytes === null) return 2;
  if (policyPath !== null) {
    const policy = readBytes(policyPath);
    if (policy === null) return 2;
    options.policy = policy.toString('utf8');
  }
  const result = check(bytes, options);
  if (!result.isChecked) {
    console.error(`This cannot be checked: ${result.fault}.`);
    return 2;
  }
  if (!result.ok) {
    console.log(`${result.meetsPolicy ? 'CHANGED' : 'NOT ACCEPTED'}: ${result.fault}.`);
    return 1;
  }
  console.log('Nothing was changed.\n\nThis proves:');
  for (const line of result.proves) console.log(`- ${line}`);
  console.log('\nThis does not prove:');
  for (const line of result.doesNotProve) console.log(`- ${line}`);
  return 0;
}

function readBytes(path) {
  try {
    return readFileSync(path);
  } catch (error) {
    console.error(plain(`The file cannot be opened: ${error.message}.`));
    return null;
  }
}

// Not when it is part of another program, as in `waybill verify`.
const isProgram = process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href;
if (isProgram && /verify\.mjs$/.test(import.meta.url)) process.exitCode = main(process.argv.slice(2));
