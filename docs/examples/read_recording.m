function worth = read_recording(file, picture)
% A recording in MATLAB or Octave: how well the table followed, and a picture of it.
%
% hilctl export run-7.h5 --mat        in a shell; writes run-7.mat
% read_recording("run-7.mat")         or read_recording("run-7.mat", "run-7.svg")
r = load(file);                              % channels as column vectors, by their names
about = jsondecode(char(r.hilctl_about(:)')); % the header, events and parameter changes
tracks = r.mode == 3;                        % 0 off, 1 standby, 2 hold, 3 track, 4 stop, 5 null
if ~any(tracks)
    error("%s: the table tracked nothing", file);
end
worth.rms_m = sqrt(mean(r.error_m(tracks) .^ 2));
worth.largest_m = max(abs(r.error_m(tracks)));
worth.seconds = sum(tracks) / about.rate_hz;
worth.peak_n = max(abs(r.friction_n(tracks)));
fprintf("%s, run %s: %d samples, %d events\n", about.rig, about.run, numel(r.time_s), numel(about.events));
fprintf("error: rms %.17g m, largest %.17g m over %.17g s; friction up to %.17g N\n", worth.rms_m, ...
    worth.largest_m, worth.seconds, worth.peak_n);
if nargin > 1
    draw(r, tracks, picture);
end
end

function draw(r, tracks, picture)
shown = figure("visible", "off");
names = {"position_m", "error_m", "load_pressure_pa"};
for k = 1:numel(names)
    subplot(numel(names), 1, k);
    plot(r.time_s(tracks), r.(names{k})(tracks));
    title(names{k}, "Interpreter", "none");
    grid on
end
xlabel("time_s", "Interpreter", "none");
saveas(shown, picture);
close(shown);
end
