"""The grey box: the parameters of a physical model from records, and an honest account of what these can say.

    model       model, parameters, rig_model, rig_flow
    estimate    problem, search, rig_search; identify joins all
    judge       structure: what the data fix; colour, scatter, intervals: how well; judge, result: what is reported

No service is needed, and no rig.
"""
