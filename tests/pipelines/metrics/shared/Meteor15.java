import java.util.*;

/** Speaks Meteor 1.5's lines (-stdio), with exact matches of words alone; "a", "the" and "on" are function words. */
public class Meteor15 {
    static final Set<String> FUNCTION = Set.of("a", "the", "on");
    static final double[] WEIGHTS = {1.0, 0.6, 0.8, 0.6};

    public static void main(String[] args) {
        if (!String.join(" ", args).equals("- - -stdio -l en -norm")) {
            System.err.println("unknown options " + String.join(" ", args));
            System.exit(1);
        }
        Scanner in = new Scanner(System.in, "UTF-8");
        while (in.hasNextLine()) {
            String[] parts = in.nextLine().split("\\|\\|\\|");
            if (parts[0].trim().equals("SCORE")) {
                double[] best = null;
                String hypothesis = parts[parts.length - 1].trim();
                if (hypothesis.equals("die")) {
                    System.err.println("Exception: out of memory");
                    System.exit(3);
                }
                for (int i = 1; i < parts.length - 1; i++) {
                    double[] found = stats(hypothesis.split(" +"), parts[i].trim().split(" +"));
                    if (best == null || score(found) > score(best)) best = found;
                }
                StringBuilder line = new StringBuilder();
                for (double number : best) line.append(number).append(" ");
                System.out.println(line.toString().trim());
            } else {
                double[] sum = new double[23];
                for (int i = 1; i < parts.length; i++) {
                    double[] one = Arrays.stream(parts[i].trim().split(" +")).mapToDouble(Double::parseDouble).toArray();
                    System.out.println(score(one));
                    boolean whole = one[4] + one[6] == one[0] && one[5] + one[7] == one[1] && one[20] == 1;
                    for (int j = 0; j < 23; j++) if (j != 20 || !whole) sum[j] += one[j];
                }
                System.out.println(score(sum));
            }
            System.out.flush();
        }
    }

    static double[] stats(String[] first, String[] second) {
        double[] found = new double[23];
        found[0] = first.length;
        found[1] = second.length;
        for (String word : first) if (FUNCTION.contains(word)) found[2]++;
        for (String word : second) if (FUNCTION.contains(word)) found[3]++;
        boolean[] taken = new boolean[second.length];
        int last = -2;
        for (String word : first) {
            int at = -1;
            for (int j = 0; j < second.length && at < 0; j++) if (!taken[j] && second[j].equals(word)) at = j;
            if (at >= 0) {
                taken[at] = true;
                int kind = FUNCTION.contains(word) ? 6 : 4;
                found[kind]++;
                found[kind + 1]++;
                found[21]++;
                found[22]++;
                if (at != last + 1) found[20]++;
            }
            last = at < 0 ? -2 : at;
        }
        return found;
    }

    static double score(double[] s) {
        double delta = 0.75, one = 0, other = 0, total1 = 0, total2 = 0;
        for (int i = 0; i < 4; i++) {
            one += WEIGHTS[i] * (delta * s[4 + 4 * i] + (1 - delta) * s[6 + 4 * i]);
            other += WEIGHTS[i] * (delta * s[5 + 4 * i] + (1 - delta) * s[7 + 4 * i]);
            total1 += s[4 + 4 * i] + s[6 + 4 * i];
            total2 += s[5 + 4 * i] + s[7 + 4 * i];
        }
        double p = one / (delta * (s[0] - s[2]) + (1 - delta) * s[2]);
        double r = other / (delta * (s[1] - s[3]) + (1 - delta) * s[3]);
        double mean = 1 / ((1 - ALPHA) / p + ALPHA / r);
        double frag = total1 == s[0] && total2 == s[1] && s[20] == 1 ? 0 : s[20] / ((s[21] + s[22]) / 2);
        double result = mean * (1 - 0.6 * Math.pow(frag, 0.2));
        return Double.isNaN(result) ? 0 : Math.max(result, 0);
    }

    static final double ALPHA = Double.parseDouble("0.85");
}
