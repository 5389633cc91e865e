/** Regulated case management: cases, their evidence, transitions and decisions, commands that must run once. */
import {
  among,
  change,
  choice,
  count,
  create,
  distinct,
  entity,
  get,
  hot,
  id,
  levels,
  list,
  model,
  number,
  of,
  optional,
  per,
  remembered,
  text,
  time,
  write,
} from 'stator/design';

const tenant = entity('Tenant', {
  identity: { tenantId: id(8) },
  changing: { name: text(30) },
  population: count(300),
});

const caseFile = entity('Case', {
  identity: { caseId: id(12) },
  fixed: { tenantId: of(tenant), createdAt: time() },
  changing: {
    status: choice({ OPEN: 0.05, UNDER_REVIEW: 0.05, APPROVED: 0.6, REJECTED: 0.3 }),
    officerId: optional(distinct(4_000, id(8))),
    priority: levels({ LOW: 0.5, MEDIUM: 0.4, HIGH: 0.1 }),
    dueAt: optional(time()),
    summary: text(400, 4_000),
    version: number(5),
  },
  version: 'version',
  states: {
    status: { OPEN: ['UNDER_REVIEW', 'REJECTED'], UNDER_REVIEW: ['APPROVED', 'REJECTED', 'OPEN'] },
  },
  population: per(tenant, { mean: 20_000, max: 2_000_000 }),
});

const evidence = entity('Evidence', {
  identity: { caseId: of(caseFile), eventId: id(12) },
  fixed: { at: time(), kind: choice('DOCUMENT', 'PHOTO', 'STATEMENT'), objectKey: text(60), note: text(300) },
  population: per(caseFile, { mean: 12, max: 2_000 }),
});

const transition = entity('Transition', {
  identity: { caseId: of(caseFile), eventId: id(12) },
  fixed: { at: time(), from: text(10), to: text(10), byOfficer: id(8), reason: text(120) },
  population: per(caseFile, { mean: 5, max: 200 }),
});

const decision = entity('Decision', {
  identity: { caseId: of(caseFile), eventId: id(12) },
  fixed: { at: time(), outcome: choice('APPROVED', 'REJECTED'), grounds: text(800) },
  population: per(caseFile, { mean: 1.1, max: 20 }),
});

export default model('cases', {
  description: 'Case files of several tenants, with audit trail and service levels.',
  entities: [tenant, caseFile, evidence, transition, decision],
  reads: {
    P1: get(caseFile, {
      does: 'a case by id',
      actor: 'officer',
      by: 'caseId',
      consistency: 'strong',
      peak: 400,
      mean: 60,
    }),
    P2: list(evidence, {
      does: 'evidence of a case by time',
      actor: 'officer',
      by: 'caseId',
      order: 'at',
      page: 50,
      peak: 200,
      mean: 30,
    }),
    P3: list([evidence, transition, decision], {
      does: 'timeline of a case, newest first',
      actor: 'officer',
      by: 'caseId',
      order: 'at desc',
      page: 25,
      consistency: 'strong',
      peak: 200,
      mean: 30,
    }),
    P4: list(caseFile, {
      does: 'open cases of an officer, most urgent first',
      actor: 'officer',
      by: 'officerId',
      where: { status: 'OPEN' },
      order: ['priority desc', 'createdAt asc'],
      page: 25,
      needs: ['caseId', 'priority', 'createdAt', 'dueAt'],
      peak: 80,
      mean: 10,
    }),
    P5: list(caseFile, {
      does: 'cases of a tenant in one status by creation',
      actor: 'supervisor',
      by: ['tenantId', 'status'],
      order: 'createdAt desc',
      page: 50,
      needs: ['caseId', 'createdAt', 'priority', 'officerId'],
      peak: 20,
      mean: 3,
    }),
    P6: list(caseFile, {
      does: 'cases under review whose deadline falls into a window',
      actor: 'deadline worker',
      where: { status: 'UNDER_REVIEW' },
      range: 'dueAt',
      page: 100,
      needs: ['caseId', 'dueAt', 'officerId'],
      peak: 2,
      mean: 0.2,
    }),
    P7: get(decision, {
      does: 'the latest decision on a case',
      actor: 'citizen',
      by: 'caseId',
      order: 'at desc',
      peak: 100,
      mean: 10,
    }),
    P8: get(tenant, { does: 'a tenant by id', actor: 'portal', by: 'tenantId', peak: 50, mean: 10 }),
  },
  writes: {
    openCase: write({
      does: 'open a case',
      actor: 'portal',
      steps: [create(caseFile, { with: { status: 'OPEN' } })],
      idempotency: remembered('commandId', { keepDays: 7 }),
      peak: 30,
      mean: 4,
      skew: { tenantId: hot(1, 0.4) },
    }),
    addEvidence: write({
      does: 'add evidence',
      actor: 'officer',
      steps: [create(evidence)],
      peak: 100,
      mean: 15,
    }),
    review: write({
      does: 'take a case under review, with the transition on record',
      actor: 'officer',
      steps: [
        change(caseFile, {
          given: 'caseId',
          sets: { status: 'UNDER_REVIEW' },
          when: { status: 'OPEN' },
          checksVersion: true,
        }),
        create(transition),
      ],
      idempotency: remembered('commandId', { keepDays: 7 }),
      peak: 30,
      mean: 4,
    }),
    decide: write({
      does: 'approve or reject a case under review at the version seen',
      actor: 'officer',
      steps: [
        change(caseFile, {
          given: 'caseId',
          sets: ['status'],
          when: [among('status', ['UNDER_REVIEW'])],
          checksVersion: true,
        }),
        create(transition),
        create(decision),
      ],
      idempotency: remembered('commandId', { keepDays: 7 }),
      peak: 30,
      mean: 4,
    }),
    assign: write({
      does: 'assign a case to an officer',
      actor: 'supervisor',
      steps: [change(caseFile, { given: 'caseId', sets: ['officerId', 'dueAt'] })],
      peak: 20,
      mean: 3,
    }),
  },
});
