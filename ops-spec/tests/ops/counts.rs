fn counts(ids: IntTensor![.., n], limit: i64) -> (IntTensor, BoolTensor) {
    (sum(cast(ids < limit, int), n), any(ids % 2 == 0, n))
}
