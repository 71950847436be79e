"""The linear dynamics of a rig, from what drives it to models of its response.

    model       excite_*: stepped sines, sweeps, multisines; record: an experiment's channels; transfer: a model
    plan        plan: options to motions
    drive       drive: the motions, each stored when it is finished; intake*: recordings from elsewhere
    estimate    prepare, response*, estimate, transfer_fit, open_loop
    judge       judge*: records that mislead, tables that stick, models on data that they were not fitted to
"""
