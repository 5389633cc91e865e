import { DynamoError } from '../../model/errors.ts';
import { integer, list, required, string, structure, timestamp } from '../../operations/shapes/shape.ts';
import { scopeOf } from '../alarms/alarm-context.ts';
import { onTargets } from '../cloudwatch/api-intents.ts';
import { timeProblem } from '../cloudwatch/parameter-checks.ts';
import {
  longText,
  pageMembers,
  pageOf,
  scalableDimension,
  scalingOperation,
  serviceNamespace,
  targetMembers,
} from './scaling-context.ts';
import { invalid, limitExceeded, noTarget, notFound, type ScalingError } from './scaling-errors.ts';
import type { ScheduledRecord } from './scaling-records.ts';
import { targetNameOf } from './scaling-target.ts';
import { readSchedule } from './schedule.ts';

const actionsMax = 200;
const bounds = structure('ScalableTargetAction', { MinCapacity: integer(), MaxCapacity: integer() });
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a name must not have.
const nameForm = /^(?! )[^\u0000-\u001f\u007f-\u009f:/|]+(?<! )$/;

export const putScheduledAction = scalingOperation(
  'PutScheduledAction',
  onTargets,
  {
    ...targetMembers,
    Schedule: longText,
    Timezone: longText,
    ScheduledActionName: required(string({ min: 1, max: 256 })),
    StartTime: timestamp,
    EndTime: timestamp,
    ScalableTargetAction: bounds,
  },
  {},
  async ({ scaling, nowMs, newUuid, scalingChanged }, input, caller) => {
    const target = targetNameOf(input);
    if (target instanceof DynamoError) return target;
    const { ScheduledActionName: name, Timezone, StartTime, EndTime } = input;
    if (!nameForm.test(name))
      return invalid('A scheduled action name must not have the characters : / | nor blanks at its ends');
    const scope = scopeOf(caller);
    const before = await scaling.get(scope, 'schedule', target, name);
    const schedule = input.Schedule ?? before?.schedule;
    if (schedule === undefined) return invalid('A schedule must be specified');
    const timezone = Timezone ?? before?.timezone;
    const read = readSchedule(schedule, timezone);
    if (typeof read === 'string') return invalid(read);
    const at = nowMs();
    if (input.Schedule !== undefined && read.onceAtMs !== undefined && read.onceAtMs <= at)
      return invalid('The scheduled time must be in the future');
    for (const [name, time] of Object.entries({ StartTime, EndTime })) {
      const wrong = time === undefined ? undefined : timeProblem(name, time);
      if (wrong !== undefined) return invalid(wrong);
    }
    if (StartTime !== undefined && EndTime !== undefined && StartTime >= EndTime)
      return invalid('The start time must be before the end time');
    if (EndTime !== undefined && EndTime * 1000 <= at) return invalid('The end time must be in the future');
    const action = input.ScalableTargetAction ?? before?.action;
    if (action?.MinCapacity === undefined && action?.MaxCapacity === undefined)
      return invalid('A scheduled action must set the minimum capacity, the maximum capacity or both');
    const { MinCapacity = 1, MaxCapacity = Number.MAX_SAFE_INTEGER } = action;
    if (MinCapacity < 1) return invalid('Minimum capacity must be at least 1');
    if (MaxCapacity < MinCapacity) return invalid('Maximum capacity cannot be less than minimum capacity');
    if ((await scaling.get(scope, 'target', target)) === undefined) return noTarget(target);
    let count = 0;
    for await (const _ of scaling.records(scope, 'schedule', target)) count++;
    if (before === undefined && count >= actionsMax)
      return limitExceeded(`A scalable target may have at most ${actionsMax} scheduled actions`);
    const startAt = StartTime === undefined ? before?.startAt : StartTime * 1000;
    const endAt = EndTime === undefined ? before?.endAt : EndTime * 1000;
    const record: ScheduledRecord = {
      ...target,
      name,
      arn:
        before?.arn ??
        `arn:aws:autoscaling:${scope.region}:${scope.account}:scheduledAction:${newUuid()}:resource/dynamodb/${target.resourceId}:scheduledActionName/${name}`,
      schedule,
      ...(timezone !== undefined && { timezone }),
      ...(startAt !== undefined && { startAt }),
      ...(endAt !== undefined && { endAt }),
      action,
      createdAt: before?.createdAt ?? at,
    };
    const edit = scaling.edit(scope, 'schedule', target, name, () => record);
    if (!(await scaling.changeAll([edit], [scaling.isRegistered(scope, target)]))) return noTarget(target);
    scalingChanged();
    return {};
  },
);

export const deleteScheduledAction = scalingOperation(
  'DeleteScheduledAction',
  onTargets,
  { ...targetMembers, ScheduledActionName: required(longText) },
  {},
  async ({ scaling }, input, caller) => {
    const target = targetNameOf(input);
    if (target instanceof DynamoError) return target;
    const { ScheduledActionName: name } = input;
    return scaling.change<'schedule', object | ScalingError>(
      scopeOf(caller),
      'schedule',
      target,
      name,
      (before) =>
        before === undefined
          ? {
              result: notFound(
                `No scheduled action found for service namespace: dynamodb, resource ID: ${target.resourceId}, scheduled action name: ${name}, scalable dimension: ${target.dimension}`,
              ),
            }
          : { result: {}, record: null },
    );
  },
);

export const describeScheduledActions = scalingOperation(
  'DescribeScheduledActions',
  onTargets,
  {
    ScheduledActionNames: list(longText, { max: 50 }),
    ServiceNamespace: required(serviceNamespace),
    ResourceId: longText,
    ScalableDimension: scalableDimension,
    ...pageMembers,
  },
  {
    ScheduledActions: list(
      structure('ScheduledAction', {
        ScheduledActionName: string(),
        ScheduledActionARN: string(),
        ServiceNamespace: string(),
        Schedule: string(),
        Timezone: string(),
        ResourceId: string(),
        ScalableDimension: string(),
        StartTime: timestamp,
        EndTime: timestamp,
        ScalableTargetAction: bounds,
        CreationTime: timestamp,
      }),
    ),
    NextToken: string(),
  },
  async ({ scaling }, input, caller) => {
    const { ScheduledActionNames, ServiceNamespace, ResourceId, ScalableDimension } = input;
    if (ScalableDimension !== undefined && ResourceId === undefined)
      return invalid('A scalable dimension can only be specified together with a resource ID');
    const names = ScheduledActionNames && new Set(ScheduledActionNames);
    const found = (async function* () {
      if (ServiceNamespace !== 'dynamodb') return;
      for await (const one of scaling.records(scopeOf(caller), 'schedule')) {
        if (names !== undefined && !names.has(one.name)) continue;
        if (ResourceId !== undefined && one.resourceId !== ResourceId) continue;
        if (ScalableDimension === undefined || one.dimension === ScalableDimension) yield one;
      }
    })();
    const request = JSON.stringify([ScheduledActionNames, ServiceNamespace, ResourceId, ScalableDimension]);
    const page = await pageOf(found, input, request);
    if (page instanceof DynamoError) return page;
    return {
      ScheduledActions: page.page.map((one) => ({
        ScheduledActionName: one.name,
        ScheduledActionARN: one.arn,
        ServiceNamespace: 'dynamodb',
        Schedule: one.schedule,
        Timezone: one.timezone,
        ResourceId: one.resourceId,
        ScalableDimension: one.dimension,
        StartTime: one.startAt && one.startAt / 1000,
        EndTime: one.endAt && one.endAt / 1000,
        ScalableTargetAction: one.action,
        CreationTime: one.createdAt / 1000,
      })),
      ...(page.NextToken !== undefined && { NextToken: page.NextToken }),
    };
  },
);
