function plain_remote(where, key)
% A rig on another machine, from MATLAB: arms it, tracks a triangle, prints what came of it.
%
% pyenv("Version", "/path/to/a/python/with/hilctl")   once, in a new session
% plain_remote("tcp://rig-pc:9870", "alice.key")
rig = py.hilctl.client.Client(where, pyargs("key", key, "name", "matlab"));
rig.take();
done = onCleanup(@() finish(rig));
rig.arm();
motion = rig.track("triangle", pyargs("speed_m_s", 0.02, "amplitude_m", 0.005, "cycles", int32(2)));
outcome = rig.wait(motion);
samples = rig.samples(motion.first, outcome.last, py.list({"error_m"}));
error_m = double(samples{"error_m"});
fprintf("%s: largest error %.0f um over %.1f s\n", string(outcome.why), 1e6 * max(abs(error_m)), motion.seconds);
end

function finish(rig)
rig.off();
rig.release();
rig.close();
end
