# saas: Tenants, users with sessions, projects, tasks, comments, notifications and an audit log with a retention of its own.
terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.29"
    }
  }
}

variable "environment" {
  description = "Ends the names of tables and alarms; prod also protects the tables from deletion."
  type        = string
  default     = "dev"
}

variable "billing_mode" {
  description = "PAY_PER_REQUEST, or PROVISIONED with auto scaling."
  type        = string
  default     = "PAY_PER_REQUEST"
}

variable "target_utilization" {
  description = "The percentage of provisioned units that auto scaling aims at."
  type        = number
  default     = 70
}

variable "capacity" {
  description = "The units between which auto scaling moves, by table and table/index."
  type        = map(object({ read_min = number, read_max = number, write_min = number, write_max = number }))
  default = {
    "saas"       = { read_min = 320, read_max = 3100, write_min = 90, write_max = 2400 }
    "saas/GSI1"  = { read_min = 140, read_max = 1200, write_min = 55, write_max = 670 }
    "saas/GSI2"  = { read_min = 22, read_max = 230, write_min = 5, write_max = 22 }
    "saas-audit" = { read_min = 5, read_max = 72, write_min = 46, write_max = 1800 }
  }
}

variable "alarm_topic_arn" {
  description = "The SNS topic that alarms go to."
  type        = string
  default     = null
}

variable "kms_key_arn" {
  description = "The KMS key that encrypts the tables, instead of the one that AWS owns."
  type        = string
  default     = null
}

variable "consumer_functions" {
  description = "Lambda functions that read the streams, by consumer: audit."
  type        = map(string)
  default     = {}
}

locals {
  provisioned   = var.billing_mode == "PROVISIONED"
  alarm_actions = var.alarm_topic_arn == null ? [] : [var.alarm_topic_arn]

  # Everything that has capacity of its own.
  arms = {
    "saas"       = { table = aws_dynamodb_table.saas.name, index = null }
    "saas/GSI1"  = { table = aws_dynamodb_table.saas.name, index = "GSI1" }
    "saas/GSI2"  = { table = aws_dynamodb_table.saas.name, index = "GSI2" }
    "saas-audit" = { table = aws_dynamodb_table.saas_audit.name, index = null }
  }

  # Each of them once for reads and once for writes.
  dimensions = merge([
    for direction in ["read", "write"] : {
      for name, arm in local.arms : "${name} ${direction}" => {
        table     = arm.table
        index     = arm.index
        direction = title(direction)
        min       = direction == "read" ? var.capacity[name].read_min : var.capacity[name].write_min
        max       = direction == "read" ? var.capacity[name].read_max : var.capacity[name].write_max
        dimensions = {
          for key, value in { TableName = arm.table, GlobalSecondaryIndexName = arm.index } : key => value if value != null
        }
      }
    }
  ]...)
}

# Comment, Membership, Notification, Project, Session, Task, Tenant, User of the model saas.
resource "aws_dynamodb_table" "saas" {
  name                        = "saas-${var.environment}"
  billing_mode                = var.billing_mode
  hash_key                    = "PK"
  range_key                   = "SK"
  read_capacity               = local.provisioned ? var.capacity["saas"].read_min : null
  write_capacity              = local.provisioned ? var.capacity["saas"].write_min : null
  stream_enabled              = true
  stream_view_type            = "NEW_AND_OLD_IMAGES"
  deletion_protection_enabled = var.environment == "prod"

  attribute {
    name = "PK"
    type = "S"
  }

  attribute {
    name = "SK"
    type = "S"
  }

  attribute {
    name = "GSI1PK"
    type = "S"
  }

  attribute {
    name = "GSI1SK"
    type = "S"
  }

  attribute {
    name = "GSI2PK"
    type = "S"
  }

  attribute {
    name = "GSI2SK"
    type = "S"
  }

  # Membership, Notification, Project, Task, User for P11, P3, P4, P6, P7.
  global_secondary_index {
    name               = "GSI1"
    projection_type    = "INCLUDE"
    non_key_attributes = ["about", "at", "dueOn", "email", "name", "priority", "role", "status", "title", "userId"]
    read_capacity      = local.provisioned ? var.capacity["saas/GSI1"].read_min : null
    write_capacity     = local.provisioned ? var.capacity["saas/GSI1"].write_min : null

    key_schema {
      attribute_name = "GSI1PK"
      key_type       = "HASH"
    }

    key_schema {
      attribute_name = "GSI1SK"
      key_type       = "RANGE"
    }
  }

  # Project, Task for P14, P5.
  global_secondary_index {
    name               = "GSI2"
    projection_type    = "INCLUDE"
    non_key_attributes = ["assigneeId", "createdOn", "dueOn", "ownerId", "title"]
    read_capacity      = local.provisioned ? var.capacity["saas/GSI2"].read_min : null
    write_capacity     = local.provisioned ? var.capacity["saas/GSI2"].write_min : null

    key_schema {
      attribute_name = "GSI2PK"
      key_type       = "HASH"
    }

    key_schema {
      attribute_name = "GSI2SK"
      key_type       = "RANGE"
    }
  }

  ttl {
    attribute_name = "expires"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = true
  }

  server_side_encryption {
    enabled     = var.kms_key_arn != null
    kms_key_arn = var.kms_key_arn
  }

  # Auto scaling changes these. Add global_secondary_index while no index is about to change.
  lifecycle {
    ignore_changes = [read_capacity, write_capacity]
  }
}

# AuditLog of the model saas.
resource "aws_dynamodb_table" "saas_audit" {
  name                        = "saas-audit-${var.environment}"
  billing_mode                = var.billing_mode
  hash_key                    = "PK"
  range_key                   = "SK"
  read_capacity               = local.provisioned ? var.capacity["saas-audit"].read_min : null
  write_capacity              = local.provisioned ? var.capacity["saas-audit"].write_min : null
  deletion_protection_enabled = var.environment == "prod"

  attribute {
    name = "PK"
    type = "S"
  }

  attribute {
    name = "SK"
    type = "S"
  }

  ttl {
    attribute_name = "expires"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = true
  }

  server_side_encryption {
    enabled     = var.kms_key_arn != null
    kms_key_arn = var.kms_key_arn
  }

  # Auto scaling changes these. Add global_secondary_index while no index is about to change.
  lifecycle {
    ignore_changes = [read_capacity, write_capacity]
  }
}

resource "aws_appautoscaling_target" "capacity" {
  for_each           = local.provisioned ? local.dimensions : {}
  service_namespace  = "dynamodb"
  resource_id        = each.value.index == null ? "table/${each.value.table}" : "table/${each.value.table}/index/${each.value.index}"
  scalable_dimension = "dynamodb:${each.value.index == null ? "table" : "index"}:${each.value.direction}CapacityUnits"
  min_capacity       = each.value.min
  max_capacity       = each.value.max
}

resource "aws_appautoscaling_policy" "capacity" {
  for_each           = aws_appautoscaling_target.capacity
  name               = "DynamoDB ${each.key} ${var.environment}"
  policy_type        = "TargetTrackingScaling"
  service_namespace  = each.value.service_namespace
  resource_id        = each.value.resource_id
  scalable_dimension = each.value.scalable_dimension

  target_tracking_scaling_policy_configuration {
    target_value       = var.target_utilization
    scale_out_cooldown = 0
    scale_in_cooldown  = 60

    predefined_metric_specification {
      predefined_metric_type = "DynamoDB${local.dimensions[each.key].direction}CapacityUtilization"
    }
  }
}

# The keys that are read, written and throttled most.
resource "aws_dynamodb_contributor_insights" "keys" {
  for_each   = local.arms
  table_name = each.value.table
  index_name = each.value.index
}

resource "aws_cloudwatch_metric_alarm" "throttles" {
  for_each            = local.dimensions
  alarm_name          = "${replace(each.key, "/[ /]/", "-")}-throttles-${var.environment}"
  alarm_description   = "${each.key} requests have been throttled for 5 minutes."
  namespace           = "AWS/DynamoDB"
  metric_name         = "${each.value.direction}ThrottleEvents"
  dimensions          = each.value.dimensions
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 5
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
}

resource "aws_cloudwatch_metric_alarm" "usage" {
  for_each            = local.provisioned ? local.dimensions : {}
  alarm_name          = "${replace(each.key, "/[ /]/", "-")}-usage-${var.environment}"
  alarm_description   = "${each.key} uses more than 80 % of its units."
  evaluation_periods  = 5
  threshold           = 80
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions

  metric_query {
    id          = "usage"
    expression  = "100 * consumed / PERIOD(consumed) / provisioned"
    label       = "percent of provisioned units"
    return_data = true
  }

  metric_query {
    id = "consumed"

    metric {
      namespace   = "AWS/DynamoDB"
      metric_name = "Consumed${each.value.direction}CapacityUnits"
      dimensions  = each.value.dimensions
      period      = 60
      stat        = "Sum"
    }
  }

  metric_query {
    id = "provisioned"

    metric {
      namespace   = "AWS/DynamoDB"
      metric_name = "Provisioned${each.value.direction}CapacityUnits"
      dimensions  = each.value.dimensions
      period      = 60
      stat        = "Average"
    }
  }
}

resource "aws_cloudwatch_metric_alarm" "system_errors" {
  for_each            = toset([aws_dynamodb_table.saas.name, aws_dynamodb_table.saas_audit.name])
  alarm_name          = "${each.key}-system-errors"
  alarm_description   = "The service fails requests to table ${each.key} with errors of its own."
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions

  metric_query {
    id          = "errors"
    expression  = "SUM(METRICS())"
    label       = "server errors"
    return_data = true
  }

  dynamic "metric_query" {
    for_each = [
      "GetItem",
      "BatchGetItem",
      "Query",
      "PutItem",
      "UpdateItem",
      "DeleteItem",
      "BatchWriteItem",
      "TransactGetItems",
      "TransactWriteItems",
    ]

    content {
      id = "of${metric_query.value}"

      metric {
        namespace   = "AWS/DynamoDB"
        metric_name = "SystemErrors"
        dimensions  = { TableName = each.key, Operation = metric_query.value }
        period      = 60
        stat        = "Sum"
      }
    }
  }
}

resource "aws_cloudwatch_metric_alarm" "iterator_age" {
  for_each            = var.consumer_functions
  alarm_name          = "${each.key}-iterator-age-${var.environment}"
  alarm_description   = "${each.key} reads the stream more than 60 seconds late."
  namespace           = "AWS/Lambda"
  metric_name         = "IteratorAge"
  dimensions          = { FunctionName = each.value }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 5
  threshold           = 60000
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
}

output "saas_table_name" {
  value = aws_dynamodb_table.saas.name
}

output "saas_stream_arn" {
  value = aws_dynamodb_table.saas.stream_arn
}

output "saas_audit_table_name" {
  value = aws_dynamodb_table.saas_audit.name
}
