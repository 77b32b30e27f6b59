"""Graphs whose sizes vary: each size is padded to a bucket, and the sizes of a bucket share one program."""

from torch_pjrt.bucketing.buckets import BucketedGraph, bucket_of, set_buckets

__all__ = ["BucketedGraph", "bucket_of", "set_buckets"]
