import { DynamoError } from '../model/errors.ts';
import type { HeaderFields } from './header-fields.ts';
import type { WireWork } from './wire-work.ts';

/**
 * Checks which headers a signature covers, and returns their names in lower case. Names ascend, so none is there twice,
 * and every `x-amz-*` header of the request is covered (documented: IAM documentation, "Create a signed AWS API
 * request": the canonical headers have Host and any `x-amz-*` header of the request; names in lower case, sorted). The
 * service takes names in upper case too (observed: dynalite's tests, for Host). Its answers to the other mistakes are
 * not published: the texts follow the one for Host (guess). `work` counts the fields and names that were looked at.
 */
export function checkSignedHeaders(
  given: string,
  headers: HeaderFields,
  work: WireWork,
): readonly string[] | DynamoError {
  const names = given.toLowerCase().split(';');
  work.headerSteps += names.length;
  for (let at = 1; at < names.length; at++) {
    if (names[at]! > names[at - 1]!) continue;
    return invalid(
      names[at] === names[at - 1]
        ? `'${names[at]}' must be a 'SignedHeader' only once in the AWS Authorization.`
        : "'SignedHeaders' must be sorted in the AWS Authorization.",
    );
  }
  const { repeatedSigningField } = headers;
  if (repeatedSigningField !== undefined) {
    return invalid(`The request must not have several '${repeatedSigningField}' headers.`);
  }
  work.headerSteps += headers.raw.length / 2;
  const signed = new Set(names);
  for (const name of headers.amzNames) {
    if (!signed.has(name)) return invalid(`'${name}' must be a 'SignedHeader' in the AWS Authorization.`);
  }
  return names;
}

function invalid(message: string): DynamoError {
  return new DynamoError('InvalidSignatureException', message);
}
