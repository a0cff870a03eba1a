# How long does a TCP connect take? In perl, whose own time is about a microsecond; Node's would drown the answer.
#
# A child answers on port 8080 of every address. On standard input: address, port, how often. The answer is the median
# in microseconds.
use strict;
use warnings;
use Socket;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

$| = 1;
pipe(my $end, my $open) or die "pipe: $!";
socket(my $server, AF_INET, SOCK_STREAM, 0) or die "socket: $!";
setsockopt($server, SOL_SOCKET, SO_REUSEADDR, 1);
bind($server, pack_sockaddr_in(8080, INADDR_ANY)) or die "bind: $!";
listen($server, 1024) or die "listen: $!";
if (!fork) {
    close $open;
    stay_on(1);
    serve();
    exit;
}
stay_on(0);
while (my $line = <STDIN>) {
    my ($address, $port, $times) = split ' ', $line;
    my $place = pack_sockaddr_in($port, inet_aton($address));
    my @times = sort { $a <=> $b } map { connect_once($place) } 1 .. $times;
    printf "%.2f\n", $times[@times / 2];
}

# Where both share a processor a connection takes twice as long; with one processor only they have to.
sub stay_on {
    my ($processor) = @_;
    system "taskset -pc $processor $$ >/dev/null 2>&1";
}

# Ends with the client, whose end of the pipe closes then.
sub serve {
    while (1) {
        my $wanted = '';
        vec($wanted, fileno($_), 1) = 1 for $server, $end;
        select($wanted, undef, undef, undef);
        return if vec($wanted, fileno($end), 1);
        accept(my $client, $server) or next;
        close $client;
    }
}

# Reset at the end, so that no port is kept back from those that follow.
sub connect_once {
    my ($place) = @_;
    socket(my $client, AF_INET, SOCK_STREAM, 0) or die "socket: $!";
    setsockopt($client, SOL_SOCKET, SO_LINGER, pack('ii', 1, 0));
    my $start = clock_gettime(CLOCK_MONOTONIC);
    connect($client, $place) or die "connect: $!";
    my $time = clock_gettime(CLOCK_MONOTONIC) - $start;
    close $client;
    return $time * 1e6;
}
