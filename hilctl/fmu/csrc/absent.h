/* Functions of FMI 3.0 that the unit has no use for: other types, model exchange, clocks, derivatives. */
#pragma once

FMI(fmi3Instance, fmi3InstantiateModelExchange)(fmi3String instanceName, fmi3String instantiationToken, fmi3String
    resourcePath, fmi3Boolean visible, fmi3Boolean loggingOn, fmi3InstanceEnvironment instanceEnvironment,
    fmi3LogMessageCallback logMessage)
{
    (void)instanceName, (void)instantiationToken, (void)resourcePath, (void)visible, (void)loggingOn,
    (void)instanceEnvironment, (void)logMessage;
    return NULL;
}

FMI(fmi3Instance, fmi3InstantiateScheduledExecution)(fmi3String instanceName, fmi3String instantiationToken, fmi3String
    resourcePath, fmi3Boolean visible, fmi3Boolean loggingOn, fmi3InstanceEnvironment instanceEnvironment,
    fmi3LogMessageCallback logMessage, fmi3ClockUpdateCallback clockUpdate, fmi3LockPreemptionCallback lockPreemption,
    fmi3UnlockPreemptionCallback unlockPreemption)
{
    (void)instanceName, (void)instantiationToken, (void)resourcePath, (void)visible, (void)loggingOn,
    (void)instanceEnvironment, (void)logMessage, (void)clockUpdate, (void)lockPreemption, (void)unlockPreemption;
    return NULL;
}

FMI(fmi3Status, fmi3EnterEventMode)(fmi3Instance instance)
{
    return say(instance, fmi3Error, "fmi3EnterEventMode: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetFloat32)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
    fmi3Float32 values[], size_t nValues)
{
    (void)valueReferences, (void)nValueReferences, (void)values, (void)nValues;
    return say(instance, fmi3Error, "fmi3GetFloat32: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetInt8)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
    fmi3Int8 values[], size_t nValues)
{
    (void)valueReferences, (void)nValueReferences, (void)values, (void)nValues;
    return say(instance, fmi3Error, "fmi3GetInt8: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetUInt8)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
    fmi3UInt8 values[], size_t nValues)
{
    (void)valueReferences, (void)nValueReferences, (void)values, (void)nValues;
    return say(instance, fmi3Error, "fmi3GetUInt8: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetInt16)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
    fmi3Int16 values[], size_t nValues)
{
    (void)valueReferences, (void)nValueReferences, (void)values, (void)nValues;
    return say(instance, fmi3Error, "fmi3GetInt16: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetUInt16)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
    fmi3UInt16 values[], size_t nValues)
{
    (void)valueReferences, (void)nValueReferences, (void)values, (void)nValues;
    return say(instance, fmi3Error, "fmi3GetUInt16: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetUInt32)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
    fmi3UInt32 values[], size_t nValues)
{
    (void)valueReferences, (void)nValueReferences, (void)values, (void)nValues;
    return say(instance, fmi3Error, "fmi3GetUInt32: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetUInt64)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
    fmi3UInt64 values[], size_t nValues)
{
    (void)valueReferences, (void)nValueReferences, (void)values, (void)nValues;
    return say(instance, fmi3Error, "fmi3GetUInt64: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetString)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
    fmi3String values[], size_t nValues)
{
    (void)valueReferences, (void)nValueReferences, (void)values, (void)nValues;
    return say(instance, fmi3Error, "fmi3GetString: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetBinary)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
    size_t valueSizes[], fmi3Binary values[], size_t nValues)
{
    (void)valueReferences, (void)nValueReferences, (void)valueSizes, (void)values, (void)nValues;
    return say(instance, fmi3Error, "fmi3GetBinary: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetClock)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
    fmi3Clock values[])
{
    (void)valueReferences, (void)nValueReferences, (void)values;
    return say(instance, fmi3Error, "fmi3GetClock: the unit has nothing of this");
}

FMI(fmi3Status, fmi3SetFloat32)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
    const fmi3Float32 values[], size_t nValues)
{
    (void)valueReferences, (void)nValueReferences, (void)values, (void)nValues;
    return say(instance, fmi3Error, "fmi3SetFloat32: the unit has nothing of this");
}

FMI(fmi3Status, fmi3SetInt8)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
    const fmi3Int8 values[], size_t nValues)
{
    (void)valueReferences, (void)nValueReferences, (void)values, (void)nValues;
    return say(instance, fmi3Error, "fmi3SetInt8: the unit has nothing of this");
}

FMI(fmi3Status, fmi3SetUInt8)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
    const fmi3UInt8 values[], size_t nValues)
{
    (void)valueReferences, (void)nValueReferences, (void)values, (void)nValues;
    return say(instance, fmi3Error, "fmi3SetUInt8: the unit has nothing of this");
}

FMI(fmi3Status, fmi3SetInt16)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
    const fmi3Int16 values[], size_t nValues)
{
    (void)valueReferences, (void)nValueReferences, (void)values, (void)nValues;
    return say(instance, fmi3Error, "fmi3SetInt16: the unit has nothing of this");
}

FMI(fmi3Status, fmi3SetUInt16)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
    const fmi3UInt16 values[], size_t nValues)
{
    (void)valueReferences, (void)nValueReferences, (void)values, (void)nValues;
    return say(instance, fmi3Error, "fmi3SetUInt16: the unit has nothing of this");
}

FMI(fmi3Status, fmi3SetUInt32)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
    const fmi3UInt32 values[], size_t nValues)
{
    (void)valueReferences, (void)nValueReferences, (void)values, (void)nValues;
    return say(instance, fmi3Error, "fmi3SetUInt32: the unit has nothing of this");
}

FMI(fmi3Status, fmi3SetUInt64)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
    const fmi3UInt64 values[], size_t nValues)
{
    (void)valueReferences, (void)nValueReferences, (void)values, (void)nValues;
    return say(instance, fmi3Error, "fmi3SetUInt64: the unit has nothing of this");
}

FMI(fmi3Status, fmi3SetString)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
    const fmi3String values[], size_t nValues)
{
    (void)valueReferences, (void)nValueReferences, (void)values, (void)nValues;
    return say(instance, fmi3Error, "fmi3SetString: the unit has nothing of this");
}

FMI(fmi3Status, fmi3SetBinary)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
    const size_t valueSizes[], const fmi3Binary values[], size_t nValues)
{
    (void)valueReferences, (void)nValueReferences, (void)valueSizes, (void)values, (void)nValues;
    return say(instance, fmi3Error, "fmi3SetBinary: the unit has nothing of this");
}

FMI(fmi3Status, fmi3SetClock)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
    const fmi3Clock values[])
{
    (void)valueReferences, (void)nValueReferences, (void)values;
    return say(instance, fmi3Error, "fmi3SetClock: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetNumberOfVariableDependencies)(fmi3Instance instance, fmi3ValueReference valueReference, size_t*
    nDependencies)
{
    (void)valueReference, (void)nDependencies;
    return say(instance, fmi3Error, "fmi3GetNumberOfVariableDependencies: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetVariableDependencies)(fmi3Instance instance, fmi3ValueReference dependent, size_t
    elementIndicesOfDependent[], fmi3ValueReference independents[], size_t elementIndicesOfIndependents[],
    fmi3DependencyKind dependencyKinds[], size_t nDependencies)
{
    (void)dependent, (void)elementIndicesOfDependent, (void)independents, (void)elementIndicesOfIndependents,
    (void)dependencyKinds, (void)nDependencies;
    return say(instance, fmi3Error, "fmi3GetVariableDependencies: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetDirectionalDerivative)(fmi3Instance instance, const fmi3ValueReference unknowns[], size_t nUnknowns,
    const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[], size_t nSeed, fmi3Float64
    sensitivity[], size_t nSensitivity)
{
    (void)unknowns, (void)nUnknowns, (void)knowns, (void)nKnowns, (void)seed, (void)nSeed, (void)sensitivity,
    (void)nSensitivity;
    return say(instance, fmi3Error, "fmi3GetDirectionalDerivative: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetAdjointDerivative)(fmi3Instance instance, const fmi3ValueReference unknowns[], size_t nUnknowns,
    const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[], size_t nSeed, fmi3Float64
    sensitivity[], size_t nSensitivity)
{
    (void)unknowns, (void)nUnknowns, (void)knowns, (void)nKnowns, (void)seed, (void)nSeed, (void)sensitivity,
    (void)nSensitivity;
    return say(instance, fmi3Error, "fmi3GetAdjointDerivative: the unit has nothing of this");
}

FMI(fmi3Status, fmi3EnterConfigurationMode)(fmi3Instance instance)
{
    return say(instance, fmi3Error, "fmi3EnterConfigurationMode: the unit has nothing of this");
}

FMI(fmi3Status, fmi3ExitConfigurationMode)(fmi3Instance instance)
{
    return say(instance, fmi3Error, "fmi3ExitConfigurationMode: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetIntervalDecimal)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t
    nValueReferences, fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
{
    (void)valueReferences, (void)nValueReferences, (void)intervals, (void)qualifiers;
    return say(instance, fmi3Error, "fmi3GetIntervalDecimal: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetIntervalFraction)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t
    nValueReferences, fmi3UInt64 counters[], fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[])
{
    (void)valueReferences, (void)nValueReferences, (void)counters, (void)resolutions, (void)qualifiers;
    return say(instance, fmi3Error, "fmi3GetIntervalFraction: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetShiftDecimal)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t
    nValueReferences, fmi3Float64 shifts[])
{
    (void)valueReferences, (void)nValueReferences, (void)shifts;
    return say(instance, fmi3Error, "fmi3GetShiftDecimal: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetShiftFraction)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t
    nValueReferences, fmi3UInt64 counters[], fmi3UInt64 resolutions[])
{
    (void)valueReferences, (void)nValueReferences, (void)counters, (void)resolutions;
    return say(instance, fmi3Error, "fmi3GetShiftFraction: the unit has nothing of this");
}

FMI(fmi3Status, fmi3SetIntervalDecimal)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t
    nValueReferences, const fmi3Float64 intervals[])
{
    (void)valueReferences, (void)nValueReferences, (void)intervals;
    return say(instance, fmi3Error, "fmi3SetIntervalDecimal: the unit has nothing of this");
}

FMI(fmi3Status, fmi3SetIntervalFraction)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t
    nValueReferences, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
{
    (void)valueReferences, (void)nValueReferences, (void)counters, (void)resolutions;
    return say(instance, fmi3Error, "fmi3SetIntervalFraction: the unit has nothing of this");
}

FMI(fmi3Status, fmi3SetShiftDecimal)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t
    nValueReferences, const fmi3Float64 shifts[])
{
    (void)valueReferences, (void)nValueReferences, (void)shifts;
    return say(instance, fmi3Error, "fmi3SetShiftDecimal: the unit has nothing of this");
}

FMI(fmi3Status, fmi3SetShiftFraction)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t
    nValueReferences, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
{
    (void)valueReferences, (void)nValueReferences, (void)counters, (void)resolutions;
    return say(instance, fmi3Error, "fmi3SetShiftFraction: the unit has nothing of this");
}

FMI(fmi3Status, fmi3EvaluateDiscreteStates)(fmi3Instance instance)
{
    return say(instance, fmi3Error, "fmi3EvaluateDiscreteStates: the unit has nothing of this");
}

FMI(fmi3Status, fmi3UpdateDiscreteStates)(fmi3Instance instance, fmi3Boolean* discreteStatesNeedUpdate, fmi3Boolean*
    terminateSimulation, fmi3Boolean* nominalsOfContinuousStatesChanged, fmi3Boolean* valuesOfContinuousStatesChanged,
    fmi3Boolean* nextEventTimeDefined, fmi3Float64* nextEventTime)
{
    (void)discreteStatesNeedUpdate, (void)terminateSimulation, (void)nominalsOfContinuousStatesChanged,
    (void)valuesOfContinuousStatesChanged, (void)nextEventTimeDefined, (void)nextEventTime;
    return say(instance, fmi3Error, "fmi3UpdateDiscreteStates: the unit has nothing of this");
}

FMI(fmi3Status, fmi3EnterContinuousTimeMode)(fmi3Instance instance)
{
    return say(instance, fmi3Error, "fmi3EnterContinuousTimeMode: the unit has nothing of this");
}

FMI(fmi3Status, fmi3CompletedIntegratorStep)(fmi3Instance instance, fmi3Boolean noSetFMUStatePriorToCurrentPoint,
    fmi3Boolean* enterEventMode, fmi3Boolean* terminateSimulation)
{
    (void)noSetFMUStatePriorToCurrentPoint, (void)enterEventMode, (void)terminateSimulation;
    return say(instance, fmi3Error, "fmi3CompletedIntegratorStep: the unit has nothing of this");
}

FMI(fmi3Status, fmi3SetTime)(fmi3Instance instance, fmi3Float64 time)
{
    (void)time; return say(instance, fmi3Error, "fmi3SetTime: the unit has nothing of this");
}

FMI(fmi3Status, fmi3SetContinuousStates)(fmi3Instance instance, const fmi3Float64 continuousStates[], size_t
    nContinuousStates)
{
    (void)continuousStates, (void)nContinuousStates;
    return say(instance, fmi3Error, "fmi3SetContinuousStates: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetContinuousStateDerivatives)(fmi3Instance instance, fmi3Float64 derivatives[], size_t
    nContinuousStates)
{
    (void)derivatives, (void)nContinuousStates;
    return say(instance, fmi3Error, "fmi3GetContinuousStateDerivatives: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetEventIndicators)(fmi3Instance instance, fmi3Float64 eventIndicators[], size_t nEventIndicators)
{
    (void)eventIndicators, (void)nEventIndicators;
    return say(instance, fmi3Error, "fmi3GetEventIndicators: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetContinuousStates)(fmi3Instance instance, fmi3Float64 continuousStates[], size_t nContinuousStates)
{
    (void)continuousStates, (void)nContinuousStates;
    return say(instance, fmi3Error, "fmi3GetContinuousStates: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetNominalsOfContinuousStates)(fmi3Instance instance, fmi3Float64 nominals[], size_t nContinuousStates)
{
    (void)nominals, (void)nContinuousStates;
    return say(instance, fmi3Error, "fmi3GetNominalsOfContinuousStates: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetNumberOfEventIndicators)(fmi3Instance instance, size_t* nEventIndicators)
{
    (void)nEventIndicators;
    return say(instance, fmi3Error, "fmi3GetNumberOfEventIndicators: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetNumberOfContinuousStates)(fmi3Instance instance, size_t* nContinuousStates)
{
    (void)nContinuousStates;
    return say(instance, fmi3Error, "fmi3GetNumberOfContinuousStates: the unit has nothing of this");
}

FMI(fmi3Status, fmi3EnterStepMode)(fmi3Instance instance)
{
    return say(instance, fmi3Error, "fmi3EnterStepMode: the unit has nothing of this");
}

FMI(fmi3Status, fmi3GetOutputDerivatives)(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t
    nValueReferences, const fmi3Int32 orders[], fmi3Float64 values[], size_t nValues)
{
    (void)valueReferences, (void)nValueReferences, (void)orders, (void)values, (void)nValues;
    return say(instance, fmi3Error, "fmi3GetOutputDerivatives: the unit has nothing of this");
}

FMI(fmi3Status, fmi3ActivateModelPartition)(fmi3Instance instance, fmi3ValueReference clockReference, fmi3Float64
    activationTime)
{
    (void)clockReference, (void)activationTime;
    return say(instance, fmi3Error, "fmi3ActivateModelPartition: the unit has nothing of this");
}
