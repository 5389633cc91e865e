import type { Overrides } from '../../engine/control/requests.ts';
import { list, structure } from '../shapes/shape.ts';
import type { InputValue } from '../shapes/shape-types.ts';
import {
  billingMode,
  globalIndexMembers,
  localSecondaryIndex,
  onDemandThroughput,
  provisionedThroughput,
  sseSpecification,
  vectorIndexMembers,
} from '../shapes/table-shapes.ts';
import { encryptionOf, globalIndexOf, localIndexOf } from '../tables/table-requests.ts';

export const overrideMembers = {
  BillingModeOverride: billingMode,
  GlobalSecondaryIndexOverride: list(structure('GlobalSecondaryIndex', globalIndexMembers)),
  LocalSecondaryIndexOverride: list(localSecondaryIndex),
  ProvisionedThroughputOverride: provisionedThroughput,
  OnDemandThroughputOverride: onDemandThroughput,
  SSESpecificationOverride: sseSpecification,
  VectorIndexOverride: list(structure('VectorIndex', vectorIndexMembers)),
};

const overrideShape = structure('Overrides', overrideMembers);

export function overridesOf(input: InputValue<typeof overrideShape>): Overrides {
  return {
    billingMode: input.BillingModeOverride,
    indexes: {
      local: input.LocalSecondaryIndexOverride?.map(localIndexOf),
      global: input.GlobalSecondaryIndexOverride?.map(globalIndexOf),
    },
    throughput: input.ProvisionedThroughputOverride,
    onDemandThroughput: input.OnDemandThroughputOverride,
    encryption: encryptionOf(input.SSESpecificationOverride),
  };
}
