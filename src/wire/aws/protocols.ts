import type { DynamoError } from '../../model/errors.ts';
import type { Service, ServiceOperation } from '../../operations/api/service.ts';
import type { Answer } from '../../operations/operation.ts';
import { errorBody } from '../error-body.ts';
import { unparsable } from '../json-body.ts';
import { bodyOf, type ReplyBody } from '../reply.ts';
import type { WireWork } from '../wire-work.ts';
import { cborAnswer, cborError } from './cbor-output.ts';
import { notCbor, readCbor } from './cbor-reader.ts';
import { notAForm, type QueryForm, readQueryForm } from './query-input.ts';
import { xmlAnswer, xmlError } from './xml-output.ts';

/** The result for a body that cannot be read in its protocol. */
export const unreadable = Symbol('unreadable');

/** How a client speaks: how its request is read, and how answers and errors are written. */
export interface Protocol {
  readonly contentType: string;
  /** The input in the form of JSON, or `unreadable`. */
  read(operation: ServiceOperation | undefined, body: Uint8Array | string): unknown;
  answer(operation: ServiceOperation, answer: Exclude<Answer, DynamoError>, requestId: string): ReplyBody;
  error(error: DynamoError<string>, requestId: string): ReplyBody;
  /** Further headers of answers and of errors: names and values, alternating. */
  headers(error: DynamoError<string> | undefined): readonly string[];
  /** Whether the body is read before the operation and the signature are looked at. */
  readonly readsFirst: boolean;
}

/**
 * DynamoDB's JSON. `contentType` is that of the reply. An empty body is unreadable too, but the service finds that out only
 * after the signature. JSON that is not an object is treated the same way, for lack of an observation.
 */
export function dynamoProtocol(contentType: string, parse: (body: Uint8Array | string) => unknown): Protocol {
  return {
    contentType,
    readsFirst: true,
    read: (_, body) => {
      if (body.length === 0) return undefined;
      const input = parse(body);
      return input === unparsable ? unreadable : input;
    },
    answer: (_, answer) => bodyOf(answer),
    error: (error) => errorBody(error as DynamoError).body,
    headers: () => noHeaders,
  };
}

const noHeaders: readonly string[] = [];

export function jsonProtocol(
  service: Service,
  contentType: string,
  parse: (body: Uint8Array | string) => unknown,
): Protocol {
  return {
    contentType,
    readsFirst: false,
    read: (_, body) => {
      if (body.length === 0) return unreadable;
      const input = parse(body);
      return input === unparsable ? unreadable : input;
    },
    answer: ({ output }, answer) => (output === undefined ? '' : JSON.stringify(answer)),
    error: (error) =>
      JSON.stringify({
        __type: typeOf(service, error),
        [service.errors.formOf(error).messageMember]: textOf(error),
      }),
    headers: (error) => (error === undefined ? [] : queryErrorHeader(service, error)),
  };
}

export function cborProtocol(service: Service, work: WireWork): Protocol {
  const protocol = ['smithy-protocol', 'rpc-v2-cbor'];
  return {
    contentType: 'application/cbor',
    readsFirst: false,
    read: (_, body) => {
      // An operation without parameters is called without a body.
      if (body.length === 0) return {};
      const input = readCbor(typeof body === 'string' ? Buffer.from(body) : body, work);
      return input === notCbor ? unreadable : input;
    },
    answer: ({ output }, answer) => (output === undefined ? '' : cborAnswer(output, answer as object)),
    error: (error) =>
      cborError(typeOf(service, error), service.errors.formOf(error).messageMember, textOf(error)),
    headers: (error) => (error === undefined ? protocol : [...protocol, ...queryErrorHeader(service, error)]),
  };
}

export function queryProtocol(service: Service, form: QueryForm | typeof notAForm): Protocol {
  return {
    contentType: 'text/xml',
    readsFirst: false,
    read: (operation) => {
      const input = operation?.input;
      const given = form === notAForm || input === undefined ? notAForm : form.inputOf(input);
      return given === notAForm ? unreadable : given;
    },
    answer: ({ name, output }, answer, requestId) =>
      xmlAnswer(name, service.errors.xmlNamespace, output, answer as object, requestId),
    error: (error, requestId) => {
      const { code, isSender } = service.errors.formOf(error);
      return xmlError(service.errors.xmlNamespace, { code, isSender, message: textOf(error) }, requestId);
    },
    headers: () => [],
  };
}

export function formOf(body: Uint8Array | string, work: WireWork): QueryForm | typeof notAForm {
  return readQueryForm(
    typeof body === 'string' ? body : Buffer.prototype.utf8Slice.call(body, 0, body.length),
    work,
  );
}

/** Services that once spoke only the query protocol name an error by its old code as well. */
function queryErrorHeader({ protocols, errors }: Service, error: DynamoError<string>): readonly string[] {
  if (!protocols.includes('query')) return [];
  const { code, isSender } = errors.formOf(error);
  return ['x-amzn-query-error', `${code};${isSender ? 'Sender' : 'Receiver'}`];
}

function typeOf({ errors }: Service, error: DynamoError<string>): string {
  return `${errors.formOf(error).prefix}#${error.name}`;
}

function textOf({ name, message }: DynamoError<string>): string {
  return message ?? name;
}
