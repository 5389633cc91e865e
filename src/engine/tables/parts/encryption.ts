import { object, oneOf, optional, text } from '../../../model/json/fields.ts';
import { partitionOf } from '../../../model/tables/table-arn.ts';
import type { ServerSideEncryption } from '../../../model/tables/table-description.ts';
import { timesField } from '../../../model/tables/table-fields.ts';
import type { Birth, RequestedEncryption } from '../../control/requests.ts';
import { noMembers, none, type TablePart } from './table-part.ts';

export interface EncryptionSettings {
  readonly sse?: ServerSideEncryption;
  /** The times of changes of the encryption key or mode, oldest first. */
  readonly sseChangedAt: readonly number[];
}

export const encryption: TablePart<EncryptionSettings, object> = {
  settings: {
    sse: optional(object<ServerSideEncryption>({ sseType: oneOf('KMS'), kmsMasterKeyArn: text })),
    sseChangedAt: timesField,
  },
  state: noMembers,
  created: ({ encryption: asked }, birth) => ({ ...encryptionOf(asked, birth), sseChangedAt: [] }),
  changed({ encryption: asked }, { sse, sseChangedAt }, moment) {
    return asked === undefined
      ? { ...(sse && { sse }), sseChangedAt }
      : { ...encryptionOf(asked, moment), sseChangedAt: [...sseChangedAt, moment.nowMs] };
  },
  begun: none,
  described: ({ description: { sse } }) =>
    sse === undefined
      ? {}
      : {
          SSEDescription: {
            Status: 'ENABLED',
            SSEType: sse.sseType,
            KMSMasterKeyArn: sse.kmsMasterKeyArn,
          },
        },
};

/** A key may be named by ARN, by alias or by id; a table encrypted without one has the account's key for DynamoDB. */
function encryptionOf(
  asked: RequestedEncryption | undefined,
  { account, region, kmsKeyId }: Pick<Birth, 'account' | 'region' | 'kmsKeyId'>,
): Pick<EncryptionSettings, 'sse'> {
  if (asked?.enabled !== true) return {};
  const key = asked.key ?? kmsKeyId;
  const kmsMasterKeyArn = key.startsWith('arn:')
    ? key
    : `arn:${partitionOf(region)}:kms:${region}:${account}:${key.startsWith('alias/') ? key : `key/${key}`}`;
  return { sse: { sseType: 'KMS', kmsMasterKeyArn } };
}
