// The table of one instruction set; the last file of a set's translation unit.
static const fm_ops FM_NAME(table) = {
    .rms_norm = FM_NAME(rms_norm),
    .rope_interleaved = FM_NAME(rope_interleaved),
    .rope_halves = FM_NAME(rope_halves),
    .store_key = FM_NAME(store_key),
    .store_value = FM_NAME(store_value),
    .store_key_q8_0 = FM_NAME(store_key_q8_0),
    .store_value_q8_0 = FM_NAME(store_value_q8_0),
    .attention = FM_NAME(attention),
    .attention_merge = FM_NAME(attention_merge),
    .silu_gate = FM_NAME(silu_gate),
    .gelu_gate = FM_NAME(gelu_gate),
    .add = FM_NAME(add),
    .scale = FM_NAME(scale),
    .soft_cap = FM_NAME(soft_cap),
    .chunk_sum = FM_NAME(chunk_sum),
    .offer_candidates = FM_NAME(offer_candidates),
    .exponential = FM_NAME(exponential),
};

const fm_ops *FM_NAME(fm_ops_table)(void) { return &FM_NAME(table); }
