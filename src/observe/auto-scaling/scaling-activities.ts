import { DynamoError } from '../../model/errors.ts';
import { boolean, list, required, string, structure, timestamp } from '../../operations/shapes/shape.ts';
import { scopeOf } from '../alarms/alarm-context.ts';
import { onTargets } from '../cloudwatch/api-intents.ts';
import {
  longText,
  pageMembers,
  pageOf,
  scalableDimension,
  scalingOperation,
  serviceNamespace,
} from './scaling-context.ts';
import { invalid } from './scaling-errors.ts';

/** Latest first. Only activities that changed or tried to change something are kept. */
export const describeScalingActivities = scalingOperation(
  'DescribeScalingActivities',
  onTargets,
  {
    ServiceNamespace: required(serviceNamespace),
    ResourceId: longText,
    ScalableDimension: scalableDimension,
    IncludeNotScaledActivities: boolean,
    ...pageMembers,
  },
  {
    ScalingActivities: list(
      structure('ScalingActivity', {
        ActivityId: string(),
        ServiceNamespace: string(),
        ResourceId: string(),
        ScalableDimension: string(),
        Description: string(),
        Cause: string(),
        StartTime: timestamp,
        EndTime: timestamp,
        StatusCode: string(),
        StatusMessage: string(),
      }),
    ),
    NextToken: string(),
  },
  async ({ scaling }, input, caller) => {
    const { ServiceNamespace, ResourceId, ScalableDimension } = input;
    if (ScalableDimension !== undefined && ResourceId === undefined)
      return invalid('A scalable dimension can only be specified together with a resource ID');
    const found = (async function* () {
      if (ServiceNamespace !== 'dynamodb') return;
      for await (const one of scaling.activities(scopeOf(caller))) {
        if (ResourceId !== undefined && one.resourceId !== ResourceId) continue;
        if (ScalableDimension === undefined || one.dimension === ScalableDimension) yield one;
      }
    })();
    const request = JSON.stringify([ServiceNamespace, ResourceId, ScalableDimension]);
    const page = await pageOf(found, input, request);
    if (page instanceof DynamoError) return page;
    return {
      ScalingActivities: page.page.map((one) => ({
        ActivityId: one.id,
        ServiceNamespace: 'dynamodb',
        ResourceId: one.resourceId,
        ScalableDimension: one.dimension,
        Description: one.description,
        Cause: one.cause,
        StartTime: one.startedAt / 1000,
        EndTime: one.endedAt / 1000,
        StatusCode: one.status,
        StatusMessage: one.message,
      })),
      ...(page.NextToken !== undefined && { NextToken: page.NextToken }),
    };
  },
);
