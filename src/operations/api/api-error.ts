/**
 * An error of one of the services that stand beside DynamoDB on the port. It is a value, like DynamoError: the caller's
 * mistake, answered in the service's words.
 */
export class ApiError {
  /** The name of the error's shape in the service's model, such as `InvalidParameterValueException`. */
  readonly name: string;
  readonly message: string;
  /** What the query protocol calls the error, such as `InvalidParameterValue`. */
  readonly code: string;
  readonly status: number;
  /** Whether the caller is to blame. */
  readonly isSender: boolean;

  constructor(
    name: string,
    message: string,
    form: Partial<Pick<ApiError, 'code' | 'status' | 'isSender'>> = {},
  ) {
    this.name = name;
    this.message = message;
    this.code = form.code ?? name;
    this.status = form.status ?? 400;
    this.isSender = form.isSender ?? true;
  }
}
