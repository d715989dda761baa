import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMeters } from './meters.ts';

test('what a process counts: requests by route and status, failures by kind, and itself', () => {
  const meters = createMeters();
  const route = meters.route('GET', '/link/:id');
  route.finish(200, 0.01);
  route.finish(200, 0.02);
  route.finish(null, 3);
  meters.route('GET', '/other').finish(404, 1);
  meters.authFailed('password');
  meters.authFailed('password');
  meters.mailFailed('refused');
  meters.jobFailed('sweep');
  meters.messagesSent.value += 3;
  const before = process.resourceUsage();
  const figures = new Map(
    meters.snapshot().flatMap(({ name, samples }) => samples.map(([suffix, value]) => [`${name}${suffix}`, value])),
  );
  const after = process.resourceUsage();
  const expected = {
    'waybill_http_requests_total{method="GET",route="/link/:id",status="200"}': 2,
    'waybill_http_requests_total{method="GET",route="/link/:id",status="aborted"}': 1,
    'waybill_http_requests_total{method="GET",route="/other",status="404"}': 1,
    'waybill_http_request_duration_seconds_sum{method="GET",route="/link/:id"}': 3.03,
    'waybill_http_request_duration_seconds_count{method="GET",route="/other"}': 1,
    'waybill_auth_failures_total{kind="password"}': 2,
    'waybill_mail_failures_total{outcome="refused"}': 1,
    'waybill_jobs_failed_total{name="sweep"}': 1,
    waybill_messages_sent_total: 3,
    waybill_workers: 1,
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(figures.get(name), value, name);
  assert.ok(figures.get('process_resident_memory_bytes')! > 1024 * 1024);
  const seconds = figures.get('process_cpu_seconds_total')!;
  const secondsOf = (usage: NodeJS.ResourceUsage) => (usage.userCPUTime + usage.systemCPUTime) / 1_000_000;
  assert.ok(secondsOf(before) <= seconds && seconds <= secondsOf(after));
});
