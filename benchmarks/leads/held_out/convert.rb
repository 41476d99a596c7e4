# Converts the tide tables of the harbour office into calendar entries.
#
# What is the source of the tables? A text file, one line per tide.
require "date"

MIN_HEIGHT = 3.2 # metres; lower tides are left out
ZONE = "Europe/London"

# A tide: its time, its height in metres, and whether it is high water.
Tide = Struct.new(:time, :height, :high)

# Lines that start with an asterisk are comments of the harbour office.
def parse(line)
  return nil if line.start_with?("*")
  day, hour, height, kind = line.split(";")
  Tide.new(DateTime.parse("#{day} #{hour}"), height.to_f, kind.strip == "HW")
end

# The reminder rings 90 minutes before high water, which is the time
# that it takes to get the boat ready.
def reminder(tide)
  tide.time - Rational(90, 24 * 60)
end

def entries(path)
  tides = File.readlines(path).map { |line| parse(line) }.compact
  tides.select { |tide| tide.high && tide.height >= MIN_HEIGHT }
end
