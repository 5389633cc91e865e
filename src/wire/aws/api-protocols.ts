import type { ApiError } from '../../operations/api/api-error.ts';
import type { ApiService, BoundOperation } from '../../operations/api/api-operation.ts';
import { unparsable } from '../json-body.ts';
import type { ReplyBody } from '../request-handler.ts';
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
  read(operation: BoundOperation, body: Uint8Array | string): unknown;
  answer(operation: BoundOperation, answer: object, requestId: string): ReplyBody;
  error(error: ApiError, requestId: string): ReplyBody;
  /** Further headers of answers and of errors: names and values, alternating. */
  headers(error: ApiError | undefined): readonly string[];
}

export function jsonProtocol(
  service: ApiService,
  contentType: string,
  parse: (body: Uint8Array | string) => unknown,
): Protocol {
  return {
    contentType,
    read: (_, body) => {
      if (body.length === 0) return unreadable;
      const input = parse(body);
      return input === unparsable ? unreadable : input;
    },
    answer: ({ output }, answer) => (output === undefined ? '' : JSON.stringify(answer)),
    error: (error) =>
      JSON.stringify({
        __type: `${service.errorPrefix}#${error.name}`,
        [service.messageMember]: error.message,
      }),
    headers: (error) => (error === undefined ? [] : queryErrorHeader(service, error)),
  };
}

export function cborProtocol(service: ApiService, work: WireWork): Protocol {
  const protocol = ['smithy-protocol', 'rpc-v2-cbor'];
  return {
    contentType: 'application/cbor',
    read: (_, body) => {
      // An operation without parameters is called without a body.
      if (body.length === 0) return {};
      const input = readCbor(typeof body === 'string' ? Buffer.from(body) : body, work);
      return input === notCbor ? unreadable : input;
    },
    answer: ({ output }, answer) => (output === undefined ? '' : cborAnswer(output, answer)),
    error: (error) => cborError(`${service.errorPrefix}#${error.name}`, service.messageMember, error.message),
    headers: (error) => (error === undefined ? protocol : [...protocol, ...queryErrorHeader(service, error)]),
  };
}

export function queryProtocol(service: ApiService, form: QueryForm | typeof notAForm): Protocol {
  return {
    contentType: 'text/xml',
    read: ({ input }) => {
      const given = form === notAForm ? notAForm : form.inputOf(input);
      return given === notAForm ? unreadable : given;
    },
    answer: ({ name, output }, answer, requestId) =>
      xmlAnswer(name, service.xmlNamespace, output, answer, requestId),
    error: (error, requestId) => xmlError(service.xmlNamespace, error, requestId),
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
function queryErrorHeader({ protocols }: ApiService, { code, isSender }: ApiError): readonly string[] {
  if (!protocols.includes('query')) return [];
  return ['x-amzn-query-error', `${code};${isSender ? 'Sender' : 'Receiver'}`];
}
