import type { Service } from '../../operations/api/service.ts';
import type { Route } from '../dispatch.ts';
import { plainJson } from '../reply.ts';
import type { WireWork } from '../wire-work.ts';
import { cborProtocol, dynamoProtocol, jsonProtocol, type Protocol, queryProtocol } from './protocols.ts';
import { notAForm, type QueryForm } from './query-input.ts';

/** The content type of DynamoDB. */
export const dynamoJson = 'application/x-amz-json-1.0';

/** The protocols of all services. Those of DynamoDB are made once. */
export class Protocols {
  readonly #work: WireWork;
  readonly #parseJson: (body: Uint8Array | string) => unknown;
  readonly #dynamo: Protocol;
  readonly #dynamoPlain: Protocol;

  constructor(work: WireWork, parseJson: (body: Uint8Array | string) => unknown) {
    this.#work = work;
    this.#parseJson = parseJson;
    this.#dynamo = dynamoProtocol(dynamoJson, parseJson);
    this.#dynamoPlain = dynamoProtocol(plainJson, parseJson);
  }

  /** `contentType` is the media type of the request, which DynamoDB's replies have too if it is its own. */
  of(
    { service, speech }: Route,
    contentType: string | undefined,
    form: QueryForm | typeof notAForm = notAForm,
  ): Protocol {
    switch (speech) {
      case 'dynamodb':
        if (contentType === dynamoJson) return this.#dynamo;
        return mediaType(contentType) === dynamoJson ? this.#dynamo : this.#dynamoPlain;
      case 'cbor':
        return cborProtocol(service, this.#work);
      case 'query':
        return queryProtocol(service, form);
      case 'json':
        return jsonProtocol(service, ownType(service), this.#parseJson);
    }
  }
}

function ownType({ protocols }: Service): string {
  return protocols.includes('json-1.0') ? dynamoJson : 'application/x-amz-json-1.1';
}

/** The media type of a request, without parameters and blanks. Most clients send neither. */
export function mediaType(contentType: string | undefined): string {
  if (contentType === undefined || contentType === dynamoJson) return contentType ?? '';
  const semicolon = contentType.indexOf(';');
  return (semicolon === -1 ? contentType : contentType.slice(0, semicolon)).trim();
}
